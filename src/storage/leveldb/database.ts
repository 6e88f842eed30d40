import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { errorMessage, KubeError } from '../../base/errors.js';
import { decodeEntry, encodeEntry, type Entry, type PlannedTransaction } from '../engine/entry.js';
import { decodeHead, emptyHead, encodeHead, type Head } from './head.js';
import { tableDamage } from './table-check.js';

const FORMAT = 1;
const FORMAT_KEY = 'f';
const HEAD_KEY = 'h';
const DATA_PREFIX = 'd';
const DATA_END = 'e';
const LOAD_CHUNK = 1000;
const TABLE = /^\d+\.(ldb|sst)$/;
/** Files that hold data of a database. */
const DATA_FILE = /^\d+\.(ldb|sst|log)$/;

type Operation = { type: 'put'; key: string; value: Buffer } | { type: 'del'; key: string };

/** The LevelDB files of one store: opening with every check, and atomic durable batches. */
export class Database {
  private constructor(
    private readonly level: Level<string, Buffer>,
    private head: Head,
    readonly entries: readonly Entry[],
  ) {}

  /** Throws `KUBE_STORE_LOCKED`, `_FORMAT`, `_DAMAGED`, `_FULL` or `_UNAVAILABLE`; never changes or removes what is there. */
  static async open(path: string): Promise<Database> {
    let level: Level<string, Buffer>;
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const files = await readdir(path);
      // LevelDB would take this for a new database and remove the files of the old one.
      if (!files.includes('CURRENT') && files.some((name) => DATA_FILE.test(name))) throw damaged(path, 'its file CURRENT is missing');
      for (const name of files.filter((file) => TABLE.test(file))) {
        const damage = await tableDamage(join(path, name));
        if (damage !== undefined) throw damaged(path, `${name}: ${damage}`);
      }
      // Not before: it begins to open by itself.
      level = new Level<string, Buffer>(path, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
      await level.open();
    } catch (error) {
      throw error instanceof KubeError ? error : openError(path, error);
    }
    try {
      return await load(path, level, (head, entries) => new Database(level, head, entries));
    } catch (error) {
      await level.close();
      throw error instanceof KubeError ? error : openError(path, error);
    }
  }

  get revision(): number {
    return this.head.revision;
  }

  /** Writes all transactions in one batch; resolved once it is on disk (fdatasync). */
  async write(transactions: readonly PlannedTransaction[]): Promise<void> {
    const operations: Operation[] = [];
    let { revision, keys, digest } = this.head;
    for (const transaction of transactions) {
      for (const { key, next, previous } of transaction.changes) {
        if (previous) digest ^= previous.hash;
        if (next) {
          digest ^= next.hash;
          operations.push({ type: 'put', key: DATA_PREFIX + key, value: encodeEntry(next) });
        } else {
          operations.push({ type: 'del', key: DATA_PREFIX + key });
        }
        keys += (next ? 1 : 0) - (previous ? 1 : 0);
      }
      revision = transaction.revision;
    }
    const head = { revision, keys, digest: digest >>> 0 };
    operations.push({ type: 'put', key: HEAD_KEY, value: encodeHead(head) });
    await this.level.batch(operations, { sync: true });
    this.head = head;
  }

  async close(): Promise<void> {
    await this.level.close();
  }
}

async function load(path: string, level: Level<string, Buffer>, make: (head: Head, entries: Entry[]) => Database): Promise<Database> {
  const format = await level.get(FORMAT_KEY);
  if (format && format.toString() !== String(FORMAT)) {
    throw new KubeError('KUBE_STORE_FORMAT', `${path} has data format ${format.toString().slice(0, 20)}, this program knows format ${FORMAT}: use the version of kube that wrote it`);
  }
  const headBytes = await level.get(HEAD_KEY);
  const head = headBytes ? decodeHead(headBytes) : emptyHead;
  if (!head) throw damaged(path, 'its head record does not fit its checksum');
  if (!format && headBytes) throw damaged(path, 'its format record is missing');

  const entries: Entry[] = [];
  let digest = 0;
  const iterator = level.iterator({ gte: DATA_PREFIX, lt: DATA_END });
  try {
    for (;;) {
      const chunk = await iterator.nextv(LOAD_CHUNK);
      if (chunk.length === 0) break;
      for (const [key, value] of chunk) {
        const entry = decodeEntry(key.slice(1), value);
        if (!entry) throw damaged(path, `the record of ${key.slice(1)} does not fit its checksum`);
        digest ^= entry.hash;
        entries.push(entry);
      }
    }
  } catch (error) {
    throw error instanceof KubeError || isFull(error) ? error : damaged(path, errorMessage(error));
  } finally {
    await iterator.close();
  }
  if (entries.length !== head.keys || digest >>> 0 !== head.digest) {
    throw damaged(path, `it holds ${entries.length} records where its head says ${head.keys}, or some were altered`);
  }
  if (!format) await level.put(FORMAT_KEY, Buffer.from(String(FORMAT)), { sync: true });
  return make(head, entries);
}

function damaged(path: string, what: string): KubeError {
  return new KubeError('KUBE_STORE_DAMAGED', `the database in ${path} is damaged: ${what}. Nothing was changed; restore it from a copy, or remove it with "kube reset"`);
}

/** Tells a full disk, a lock and damage apart from other failures. */
export function openError(path: string, error: unknown): KubeError {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause ?? (error as { code?: string; message?: string });
  const text = `${errorMessage(error)} ${cause?.message ?? ''}`;
  if (cause?.code === 'LEVEL_LOCKED') return new KubeError('KUBE_STORE_LOCKED', `${path} is in use by another process`);
  if (isFull(error)) return new KubeError('KUBE_STORE_FULL', `no space left on the disk of ${path}`);
  if (cause?.code === 'LEVEL_CORRUPTION' || /corrupt|checksum|missing files|does not exist|No such file|bad record|CURRENT/i.test(text)) {
    return damaged(path, cause?.message ?? errorMessage(error));
  }
  return new KubeError('KUBE_STORE_UNAVAILABLE', `cannot open the database in ${path}: ${cause?.message ?? errorMessage(error)}`, { cause: error });
}

/** The disk is full, in LevelDB's words or the system's. */
export function isFull(error: unknown): boolean {
  const cause = (error as { cause?: { message?: string } }).cause;
  return /No space left on device|ENOSPC/i.test(`${errorMessage(error)} ${cause?.message ?? ''}`);
}
