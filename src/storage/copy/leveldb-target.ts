import { access, rename, rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import { LevelDbStore } from '../leveldb/leveldb-store.js';
import type { CopyTarget } from './copy-store.js';

/** Beside the database: a copy that is not finished, and what it takes the place of. */
const COPYING = '.copying';
const REPLACED = '.replaced';

/** Whether there is something at `path`. */
const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

/**
 * A LevelDB folder as the target of a copy: the copy is made beside it and renamed at the end. Throws `KUBE_STORE_NOT_EMPTY` when there
 * is a database already, unless it is to be overwritten.
 */
export async function levelDbTarget(path: string, overwrite: boolean, clock: Clock): Promise<CopyTarget> {
  if (!overwrite && (await exists(path))) throw new KubeError('KUBE_STORE_NOT_EMPTY', `there is a database in ${path} already: name another directory, or replace it with --overwrite`);
  const copying = path + COPYING;
  const removeCopy = async (): Promise<void> => {
    await rm(copying, { recursive: true, force: true });
    await rm(`${copying}.acknowledged`, { force: true });
  };
  await removeCopy();
  const store = await LevelDbStore.open(copying, { clock });
  let finished = false;
  return {
    async write(batch) {
      await store.transact([], batch.map(({ key, value, ttlSeconds }) => ({ type: 'put', key, value, ...(ttlSeconds > 0 ? { ttlSeconds } : {}) })));
    },
    read: async () => (await store.range({ start: '/', end: '0' })).kvs,
    async finish() {
      const revision = await store.currentRevision();
      await store.close();
      await rm(`${copying}.acknowledged`, { force: true });
      // Of the old database, whose revisions say nothing about the new one.
      if (await exists(path)) {
        await rm(path + REPLACED, { recursive: true, force: true });
        await rename(path, path + REPLACED);
      }
      await rm(`${path}.acknowledged`, { force: true });
      await rename(copying, path);
      finished = true;
      await rm(path + REPLACED, { recursive: true, force: true });
      return revision;
    },
    async close() {
      await store.close();
      if (!finished && !(await exists(path + REPLACED))) await removeCopy();
    },
  };
}

/** Throws `KUBE_STORE_DAMAGED` when a copy was broken off in the moment in which it replaced the database in `path`. */
export async function checkNoCopyHalfDone(path: string): Promise<void> {
  if ((await exists(path)) || !(await exists(path + REPLACED))) return;
  throw new KubeError('KUBE_STORE_DAMAGED', `a copy into ${path} was broken off while it took the place of the database: copy again with --overwrite, or rename ${path + REPLACED} to ${path} to have the old one back`);
}
