/** A closed interval of completion indexes. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** Reads `1,3-5,7`: intervals in increasing order below `completions`. A text is the message of what is wrong. */
export function parseIndexes(text: string, completions: number): { readonly intervals: readonly IndexInterval[]; readonly total: number } | string {
  const intervals: IndexInterval[] = [];
  if (text === '') return { intervals, total: 0 };
  let total = 0;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const previous = intervals.at(-1)?.last;
    if (previous !== undefined && previous >= interval.first) return `non-increasing order, previous: ${previous}, current: ${interval.first}`;
    total += interval.last - interval.first + 1;
    intervals.push(interval);
  }
  return { intervals, total };
}

/** The first index that is in both; intervals that cannot be read are passed over. */
export function overlappingIndex(a: string, b: string, completions: number): number | undefined {
  const read = (text: string): IndexInterval[] => text.split(',').map((part) => parseInterval(part, completions)).filter((part) => typeof part !== 'string');
  const left = read(a);
  const right = read(b);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const [x, y] = [left[i]!, right[j]!];
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
  return undefined;
}

function parseInterval(text: string, completions: number): IndexInterval | string {
  const parts = text.split('-');
  if (parts.length > 2) return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const limits: number[] = [];
  for (const part of parts) {
    if (!/^[+]?[0-9]+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    const index = Number(part);
    if (index >= completions) return `too large index: ${JSON.stringify(part)}`;
    limits.push(index);
  }
  const [first, last = first] = limits as [number, number?];
  if (parts.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return { first, last };
}
