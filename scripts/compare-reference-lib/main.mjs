import { readFile } from 'node:fs/promises';
import { Differences } from './differences.mjs';
import { compareDiscovery } from './discovery.mjs';
import { compareOpenApi } from './openapi.mjs';
import { compareWire } from './wire.mjs';
import { readOurs, readReference } from './sources.mjs';

const folder = process.argv[2];
if (folder === undefined || folder.startsWith('-')) {
  console.error('usage: scripts/compare-reference DIR');
  process.exit(2);
}

const explained = JSON.parse(await readFile(new URL('../../docs/differences.json', import.meta.url), 'utf8')).map(({ pattern, reason }) => ({ pattern: new RegExp(pattern), reason, seen: 0 }));
const ours = await readOurs();
const reference = await readReference(folder, ours.served);
const differences = new Differences();
compareDiscovery(differences, ours.discovery, reference.discovery);
compareOpenApi(differences, ours.openapi, reference.openapi, ours.served);
const wire = await compareWire(differences, folder);

let unexplained = 0;
for (const [text, count] of differences.entries()) {
  const rule = explained.find(({ pattern }) => pattern.test(text));
  if (rule) rule.seen++;
  else unexplained++;
  console.log(`${rule ? 'explained  ' : 'UNEXPLAINED'} ${text}${count > 1 ? ` (${count} times)` : ''}`);
}
const stale = explained.filter(({ seen }) => seen === 0);
for (const { pattern } of stale) console.log(`STALE       docs/differences.json explains what is no longer there: ${pattern.source}`);
console.log(`\n${wire.compared} kinds on the wire; not compared, having no type here: ${wire.unknown.join(', ')}`);
console.log(`${differences.entries().length} differences, ${unexplained} unexplained, ${stale.length} stale explanations`);
process.exitCode = unexplained + stale.length > 0 ? 1 : 0;
