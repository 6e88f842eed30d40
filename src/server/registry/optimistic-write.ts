import { StatusError } from '../../api/status-error.js';
import type { CacheEntry } from './cache-entry.js';
import type { Cacher } from './cacher.js';

/** What one attempt of a write came to. */
export interface Attempt<T> {
  readonly result: T;
  /** The store has taken it, and with that the state that it rests on was the newest. False: nothing was written, or it was tried only. */
  readonly committed: boolean;
}

/**
 * Tries a write of one object on what the cache has, up to `attempts` times, until nobody else was faster; undefined when somebody always was.
 *
 * With a store that others write to the cache may be behind what they were told is done. A commit shows that it was not; a refusal and
 * "nothing to do" are believed only after the store was asked. So a write takes one round trip, as upstream's does. `look`: the object as the
 * cache has it. Throws what the last attempt threw, and the errors of {@link Cacher.fresh}.
 */
export async function writeOptimistically<T>(cacher: Cacher, attempts: number, look: () => CacheEntry | undefined, once: () => Promise<Attempt<T> | undefined>): Promise<T | undefined> {
  let certain = !cacher.isShared;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const before = look();
    const { revision } = cacher;
    const isAsItWas = async (): Promise<boolean> => {
      certain = true;
      await cacher.fresh();
      const now = look();
      // What is not there leaves no trace when it comes and goes, and a creation is about other objects as well.
      return now === undefined && before === undefined ? cacher.revision === revision : now === before;
    };
    let tried: Attempt<T> | undefined;
    try {
      tried = await once();
    } catch (error) {
      if (certain || !isRefusal(error) || (await isAsItWas())) throw error;
      continue;
    }
    if (tried && (certain || tried.committed || (await isAsItWas()))) return tried.result;
    // Somebody was faster, and the cache has not come to it: the watch is broken.
    if (!tried && cacher.isShared && look() === before) await cacher.fresh();
  }
  return undefined;
}

/** Like that for a creation, which looks at other objects only: a refusal that may rest on something outdated is tried once more. */
export async function createOptimistically<T>(cacher: Cacher, once: () => Promise<T>): Promise<T> {
  const { revision } = cacher;
  try {
    return await once();
  } catch (error) {
    if (!cacher.isShared || !(StatusError.is(error, 'Forbidden') || StatusError.is(error, 'NotFound'))) throw error;
    await cacher.fresh();
    if (cacher.revision === revision) throw error;
  }
  return once();
}

/** Not a failure of the store, of a webhook or of ours. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 500;
}
