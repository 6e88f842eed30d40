#!/usr/bin/env node
// node test/differential/run.mjs --kubeconfig FILE [--only TEXT] [--show N] [--all]
// Asks a fresh running server every request of the corpus and prints what differs from the recorded answers,
// grouped by the kind of difference: for work on the differences; the test is test/integration/differential.test.ts.
// Facts that explained.json explains are left out; --all shows them too.
import { build } from 'esbuild';
import { Connection, requestBytes } from '../../scripts/bench-lib/connection.mjs';
import { readTarget } from '../../scripts/bench-lib/target.mjs';
import { warningsOf } from './answer.mjs';

const option = (name, otherwise) => (process.argv.includes(`--${name}`) ? process.argv[process.argv.indexOf(`--${name}`) + 1] : otherwise);
const bundled = await build({ stdin: { contents: "export * from './replay.ts'; export * from './explained.ts';", resolveDir: import.meta.dirname }, bundle: true, write: false, format: 'esm', platform: 'node', packages: 'external', define: { 'import.meta.dirname': JSON.stringify(new URL('.', import.meta.url).pathname) } });
// The bundle lies in this folder for the time of its import, so that it finds the packages.
const { writeFileSync, rmSync } = await import('node:fs');
const file = new URL(`.replay-${process.pid}.mjs`, import.meta.url);
writeFileSync(file, bundled.outputFiles[0].contents);
const { judge, readExplanations, replay } = await import(file.href).finally(() => rmSync(file));

const target = await readTarget(option('kubeconfig'), 'server');
let connection = await Connection.open(target);
const only = option('only', '');
const { asked, mismatches: found } = await replay(async ({ method, path, body, type, accept }) => {
  const { status, headers = '', body: bytes } = await connection.request(requestBytes(target, method, path, body, { ...(type ? { contentType: type } : {}), ...(accept ? { accept } : {}) })).catch(async (error) => {
    connection = await Connection.open(target);
    return { status: 0, body: Buffer.from(JSON.stringify({ error: error.message, path })) };
  });
  const text = bytes.toString();
  const json = /^[[{]/.test(text) ? text : text.replace(/^[0-9a-f]+\r\n/i, '').replace(/\r\n[0-9a-f]+\r\n/gi, '').replace(/\r\n0\r\n\r\n$/, '');
  try {
    return { status, object: JSON.parse(json), warnings: warningsOf([...headers.matchAll(/^warning: (.*)$/gim)].map(([, value]) => value)) };
  } catch {
    return { status, object: { text: text.slice(0, 500) } };
  }
}, (id) => id.includes(only));
connection.close();
const explanations = readExplanations();
const mismatches = process.argv.includes('--all')
  ? found
  : found.flatMap(({ id, facts }) => {
      const left = facts.filter((fact) => judge([{ id, facts: [fact] }], explanations).unexplained.length > 0);
      return left.length > 0 ? [{ id, facts: left }] : [];
    });
const show = Number(option('show', '40'));
const groups = new Map();
for (const { id, facts } of mismatches) {
  const key = facts[0].replace(/"[^"]*"/g, '"…"').replace(/\[\d+\]/g, '[]').replace(/\d{2,}/g, '#').slice(0, 150);
  groups.set(key, [...(groups.get(key) ?? []), { id, facts }]);
}
for (const [key, members] of [...groups].sort((a, b) => b[1].length - a[1].length).slice(0, show)) {
  console.log(`${members.length} × ${key}`);
  for (const { id, facts } of members.slice(0, 2)) console.log(`    ${id}\n        ${facts.slice(0, 4).map((fact) => fact.slice(0, 260)).join('\n        ')}`);
}
const byManifest = {};
for (const { id } of mismatches) byManifest[id.split(':')[0]] = (byManifest[id.split(':')[0]] ?? 0) + 1;
console.log(Object.entries(byManifest).sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`).join(', '));
if (only === '') for (const text of judge(found, explanations).wrongCounts) console.log(text);
console.log(`${asked} asked, ${found.length} differ, ${mismatches.length} shown`);
