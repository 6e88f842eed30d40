/** Lines that two texts have in common: `size` lines from `before` in the one and from `after` in the other. */
export interface MatchingBlock {
  readonly before: number;
  readonly after: number;
  readonly size: number;
}

/** From this many lines on, lines that are there more often than in one of a hundred are no beginnings of a block. */
const MANY_LINES = 200;

/**
 * What two texts have in common by the method of Ratcliff and Obershelp, with which upstream's diffs are made: the longest block of
 * equal lines (the earliest of several), and the same again on either side of it. In order.
 */
export function matchingBlocks(before: readonly string[], after: readonly string[]): MatchingBlock[] {
  const places = placesOf(after);
  const blocks: MatchingBlock[] = [];
  const open: Range[] = [[0, before.length, 0, after.length]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [fromA, toA, fromB, toB] = range;
    const block = longestBlock(before, after, places, range);
    if (block.size === 0) continue;
    blocks.push(block);
    if (fromA < block.before && fromB < block.after) open.push([fromA, block.before, fromB, block.after]);
    if (block.before + block.size < toA && block.after + block.size < toB) open.push([block.before + block.size, toA, block.after + block.size, toB]);
  }
  return blocks.sort((a, b) => a.before - b.before);
}

function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const known = places.get(line);
    if (known) known.push(i);
    else places.set(line, [i]);
  });
  if (lines.length < MANY_LINES) return places;
  const most = Math.floor(lines.length / 100) + 1;
  for (const [line, list] of places) if (list.length > most) places.delete(line);
  return places;
}

type Range = readonly [fromA: number, toA: number, fromB: number, toB: number];

function longestBlock(before: readonly string[], after: readonly string[], places: ReadonlyMap<string, readonly number[]>, range: Range): MatchingBlock {
  const [fromA, toA, fromB, toB] = range;
  let [atA, atB, size] = [fromA, fromB, 0];
  let lengths = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(before[i]!) ?? []) {
      if (j < fromB || j >= toB) continue;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [atA, atB, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  // Frequent lines begin no block, but belong to one that they stand beside.
  for (; atA > fromA && atB > fromB && before[atA - 1] === after[atB - 1]; atA--, atB--) size++;
  while (atA + size < toA && atB + size < toB && before[atA + size] === after[atB + size]) size++;
  return { before: atA, after: atB, size };
}
