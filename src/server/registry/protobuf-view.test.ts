import { FakeClock } from '../../base/clock.js';
import { Codec } from '../../api/codec/codec.js';
import { KINDS } from '../../api/kinds.js';
import { RESOURCES } from '../../api/facts/resources.js';
import { Scheme } from '../../api/scheme/scheme.js';
import { CacheEntry } from './cache-entry.js';
import { StoredForm } from './stored-form.js';
import type { View } from './view.js';
import { Views } from './views.js';

const configMaps = new Scheme(KINDS, RESOURCES).resource('', 'v1', 'configmaps')!;
const codec = new Codec();
const view = (): View => new Views(new FakeClock(), codec).get(configMaps, undefined, 'None', 'protobuf');
const form = new StoredForm('v1', 'ConfigMap');
let revision = 0;
const entry = (name: string, size = 800): CacheEntry => CacheEntry.of(form, name, 'ADDED', Buffer.from(JSON.stringify({ metadata: { name }, data: { text: name.repeat(size) } })), ++revision, revision);

async function piecesOf(of: View, entries: readonly CacheEntry[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of of.listPieces({ resourceVersion: '7' }, entries)) pieces.push(piece);
  return pieces;
}

test('lists are the same whatever has been encoded before, and what did not change is not copied', async () => {
  const known = view();
  let list = Array.from({ length: 330 }, (_, i) => entry(`e${i}`));
  // Some have been asked for one by one.
  for (const i of [3, 4, 120]) known.bytes(list[i]!);
  const first = await piecesOf(known, list);
  const again = await piecesOf(known, list);
  expect(Buffer.concat(again).equals(Buffer.concat(first))).toBe(true);
  const memory = new Set(first.map(({ buffer }) => buffer));
  expect(again.filter((piece) => piece.length > 32 << 10 && !memory.has(piece.buffer))).toEqual([]);
  for (const change of [
    (all: CacheEntry[]) => all.with(60, entry('e60')),
    (all: CacheEntry[]) => [...all.slice(0, 200), entry('new', 1), ...all.slice(200)],
    (all: CacheEntry[]) => all.filter((_, i) => i % 50 !== 0),
    (all: CacheEntry[]) => all.slice(30, 240),
    (all: CacheEntry[]) => all.slice(0, 20),
    (all: CacheEntry[]) => all.slice(0, 0),
  ]) {
    list = change(list);
    const fresh = list.map((item) => CacheEntry.of(form, item.key, 'ADDED', item.stored, item.revision, item.createRevision));
    expect(Buffer.concat(await piecesOf(known, list)).equals(Buffer.concat(await piecesOf(view(), fresh)))).toBe(true);
  }
});
