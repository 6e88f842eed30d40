import { FLAG, RCODE, TYPE } from '../message/constants.js';
import { records } from '../message/walk.js';

/** Longest that an answer is kept, and largest TTL that is told (CoreDNS' `cache 30` of kubeadm). */
const LONGEST_SECONDS = 30;

interface Entry {
  readonly answer: Buffer;
  readonly ttls: readonly number[];
  readonly storedAt: number;
  readonly expiresAt: number;
}

/** Answers of upstream servers by question, bounded in bytes; the oldest go first. */
export class AnswerCache {
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  /** `monotonic` gives milliseconds. Default limit 4 MiB. */
  constructor(
    private readonly monotonic: () => number,
    private readonly maximumBytes = 4 * 1024 * 1024,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  /** A copy with TTLs that have run down. */
  get(key: string): Buffer | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const now = this.monotonic();
    if (now >= entry.expiresAt) {
      this.drop(key, entry);
      return undefined;
    }
    const age = Math.floor((now - entry.storedAt) / 1000);
    const answer = Buffer.from(entry.answer);
    for (const offset of entry.ttls) answer.writeUInt32BE(Math.max(0, answer.readUInt32BE(offset) - age), offset);
    return answer;
  }

  /** Lowers the TTLs of `answer` to the longest allowed, and keeps a copy when it is a complete one that may be kept. */
  put(key: string, answer: Buffer): void {
    const flags = answer.readUInt16BE(2);
    const rcode = flags & 0xf;
    const ttls: number[] = [];
    let lifetime: number | undefined;
    for (const record of records(answer)) {
      const ttl = Math.min(answer.readUInt32BE(record.fixed + 4), LONGEST_SECONDS);
      answer.writeUInt32BE(ttl, record.fixed + 4);
      ttls.push(record.fixed + 4);
      if (record.section === 3) continue;
      // How long a name is known not to be there stands at the end of the SOA record (RFC 2308).
      const own = record.type === TYPE.SOA && record.section === 2 && record.end - record.data >= 20 ? Math.min(ttl, answer.readUInt32BE(record.end - 4)) : ttl;
      lifetime = Math.min(lifetime ?? LONGEST_SECONDS, own);
    }
    if ((rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) || flags & FLAG.TC || !lifetime) return;
    const old = this.entries.get(key);
    if (old) this.drop(key, old);
    const now = this.monotonic();
    this.entries.set(key, { answer: Buffer.from(answer), ttls, storedAt: now, expiresAt: now + lifetime * 1000 });
    this.bytes += cost(key, answer);
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.maximumBytes) break;
      this.drop(oldest, entry);
    }
  }

  clear(): void {
    this.entries.clear();
    this.bytes = 0;
  }

  private drop(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.bytes -= cost(key, entry.answer);
  }
}

/** Bytes of an entry with what stands around it. */
function cost(key: string, answer: Buffer): number {
  return key.length * 2 + answer.length + 400;
}
