import type { EventLoopTurns } from '../../reconcile/index.js';
import type { AffinityElements, ExpectedTable } from './table-state.js';
import { AFFINITY_PREFIX } from '../rules/names.js';

interface Section {
  /** Name of its table. */
  readonly table: string;
  readonly kind: string;
  readonly name: string;
  readonly lines: readonly string[];
}

const TABLE = /^table ip (\S+) \{$/;
const HEADER = /^\t(set|map|chain) (\S+) \{$/;

/**
 * Compares `nft list table` with what should be there, by names and numbers of rules and elements: enough to see that
 * somebody flushed, removed or added something. Returns the first difference, undefined when there is none.
 */
export async function differenceOf(listing: string, expected: ExpectedTable, turns: EventLoopTurns): Promise<string | undefined> {
  const seen = new Set<string>();
  for (const { kind, name, lines } of sections(listing)) {
    await turns.maybeYield();
    seen.add(name);
    const among: ReadonlyMap<string, number | undefined> = kind === 'chain' ? expected.chains : expected.containers;
    if (!among.has(name)) return `${kind} ${name} is not ours`;
    const wanted = among.get(name);
    const found = kind === 'chain' ? lines.filter((line) => !line.startsWith('type ')).length : elementsOf(lines).length;
    if (wanted !== undefined && wanted !== found) return `${kind} ${name} has ${found} ${kind === 'chain' ? 'rules' : 'elements'} instead of ${wanted}`;
  }
  for (const name of [...expected.chains.keys(), ...expected.containers.keys()]) if (!seen.has(name)) return `${name} is missing`;
  return undefined;
}

/** The remembered clients of a table in a listing, which may show other tables too, each with the time that is left to it. */
export function affinityElements(listing: string, table: string): AffinityElements {
  const found = new Map<string, readonly string[]>();
  for (const { table: of, kind, name, lines } of sections(listing)) if (of === table && kind === 'set' && name.startsWith(AFFINITY_PREFIX)) found.set(name, elementsOf(lines));
  return found;
}

function* sections(listing: string): Iterable<Section> {
  let current: { table: string; kind: string; name: string; lines: string[] } | undefined;
  let table = '';
  for (const line of listing.split('\n')) {
    if (!current) {
      if (line.startsWith('table ')) table = TABLE.exec(line)?.[1] ?? '';
      const header = HEADER.exec(line);
      if (header) current = { table, kind: header[1]!, name: header[2]!, lines: [] };
    } else if (line === '\t}') {
      yield current;
      current = undefined;
    } else {
      current.lines.push(line.trim());
    }
  }
}

function elementsOf(lines: readonly string[]): readonly string[] {
  const begin = lines.findIndex((line) => line.startsWith('elements = {'));
  if (begin < 0) return [];
  const text = lines.slice(begin).join(' ');
  return text.slice(text.indexOf('{') + 1, text.lastIndexOf('}')).split(',').map((element) => element.trim()).filter((element) => element !== '');
}
