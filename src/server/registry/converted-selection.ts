import type { OrderedMap } from '../../base/ordered-map.js';
import type { CacheEntry } from './cache-entry.js';
import type { ConvertedEntries } from './converted-entries.js';
import type { ResourceCache } from './resource-cache.js';
import type { Selection } from './selection.js';

/** Objects that are converted and looked at at a time. */
const STEP = 500;

/** The selected objects of a tree in a version that they must be converted to, in order, from `start` on; at most `limit`. */
export async function selectConverted(
  cache: ResourceCache,
  converted: ConvertedEntries,
  tree: OrderedMap<CacheEntry>,
  selection: Selection,
  start: string | undefined,
  limit: number,
): Promise<{ readonly entries: CacheEntry[]; readonly more: boolean }> {
  const { place } = selection;
  const found: CacheEntry[] = [];
  for (let from = start; ; ) {
    const step = cache.select(tree, place, from, selection.isEverything ? Math.min(STEP, limit - found.length) : STEP);
    const entries = await converted.entries(step.entries);
    for (const [i, entry] of entries.entries()) {
      if (!selection.matches(entry)) continue;
      if (found.length === limit) return { entries: found, more: true };
      found.push(entry);
      // Of everything, what follows need not be converted to know that it is there.
      if (selection.isEverything && found.length === limit) return { entries: found, more: step.more || i + 1 < entries.length };
    }
    if (!step.more) return { entries: found, more: false };
    from = `${step.entries[step.entries.length - 1]!.key}\0`;
  }
}
