import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { checkNoCopyHalfDone, copyStore, LevelDbStore, levelDbTarget, openEtcdCopyTarget, openEtcdStore, type CopyReport, type CopyTarget, type ExpiryReader, type Store } from '../storage/index.js';
import type { DataDirectory } from './data-directory.js';
import { etcdTarget, type EtcdSettings } from './etcd-location.js';
import { readRunState } from './run-state.js';

/** One side of a copy: a data directory with its LevelDB, or an etcd. */
export type StorePlace = { readonly type: 'directory'; readonly directory: DataDirectory } | { readonly type: 'etcd'; readonly settings: EtcdSettings };

/** What `kube store copy` was told. */
export interface StoreCopyOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
  /** Replace what the target holds. */
  readonly overwrite: boolean;
  readonly progress: (copied: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** The line that it prints at the end. */
export interface StoreCopyDocument extends CopyReport {
  readonly event: 'copied';
  readonly from: string;
  readonly to: string;
  readonly milliseconds: number;
}

/** Copies all objects. Nobody may write to the target meanwhile; the source may be an etcd in use, which is copied as it is at one revision. */
export async function copyBetweenStores({ from, to, overwrite, progress, signal }: StoreCopyOptions): Promise<StoreCopyDocument> {
  const clock = new SystemClock();
  const began = clock.monotonic();
  const names = { from: await nameOf(from), to: await nameOf(to) };
  if (names.from === names.to) throw new KubeError('KUBE_STORE_SAME', `source and target are both ${names.to}`);
  const source = await openSource(from, clock);
  try {
    const target = await openTarget(to, overwrite, names.from, clock);
    try {
      const report = await copyStore(source, target, { progress, signal });
      return { event: 'copied', ...names, ...report, milliseconds: Math.round(clock.monotonic() - began) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function nameOf(place: StorePlace): Promise<string> {
  if (place.type === 'directory') return place.directory.path;
  const { endpoints, prefix } = await etcdTarget(place.settings);
  return `${endpoints.join(',')} ${prefix}`;
}

async function openSource(place: StorePlace, clock: SystemClock): Promise<Store & ExpiryReader> {
  if (place.type === 'etcd') return openEtcdStore({ ...(await etcdTarget(place.settings)), clock });
  const { database, path } = place.directory;
  await checkStopped(place.directory, 'copied: it can be read by one process at a time');
  await checkNoCopyHalfDone(database);
  // Opening would make an empty one.
  const there = await access(join(database, 'CURRENT')).then(() => true, () => false);
  if (!there) throw new KubeError('KUBE_STORE_MISSING', `there is no database in ${path}: name the --data-dir of a cluster`);
  return LevelDbStore.open(database, { clock });
}

async function openTarget(place: StorePlace, overwrite: boolean, from: string, clock: SystemClock): Promise<CopyTarget> {
  if (place.type === 'etcd') return openEtcdCopyTarget({ ...(await etcdTarget(place.settings)), clock }, overwrite, from);
  const { directory } = place;
  await directory.prepare();
  await checkStopped(directory, 'replaced');
  return levelDbTarget(directory.database, overwrite, clock);
}

/** Throws `KUBE_ALREADY_RUNNING` while a cluster works on a data directory whose database is to be `done` something to. */
async function checkStopped(directory: DataDirectory, done: string): Promise<void> {
  const running = await readRunState(directory);
  if (running?.alive) throw new KubeError('KUBE_ALREADY_RUNNING', `a cluster runs in ${directory.path} (pid ${running.state.process.pid}): stop it with "kube stop --data-dir ${directory.path}" before its database is ${done}`);
}
