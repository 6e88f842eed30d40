#!/usr/bin/env node
// node test/differential/record.mjs --kubeconfig FILE --swagger FILE
// Asks a fresh reference API server (no controllers) every request of the corpus and writes its answers' facts
// to cases.jsonl.gz and bases.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Connection, requestBytes, unchunk } from '../../scripts/bench-lib/connection.mjs';
import { readTarget } from '../../scripts/bench-lib/target.mjs';
import { difference, factsOf } from './answer.mjs';
import { makeCases, readManifests, requestOf, setUp } from './corpus.mjs';

const option = (name) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const here = (name) => new URL(name, import.meta.url);

const target = await readTarget(option('kubeconfig'), 'reference');
const manifests = readManifests(here('manifests.yaml'));
const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
let connection = await Connection.open(target);

async function ask({ method, path, body, type, accept }) {
  const request = requestBytes(target, method, path, body, { ...(type ? { contentType: type } : {}), ...(accept ? { accept } : {}) });
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('no answer')), 5000)));
  const result = await Promise.race([connection.request(request), late]).catch((error) => error);
  clearTimeout(timer);
  if (result instanceof Error) {
    console.error(`${method} ${path}: ${result.message}`);
    connection.close();
    connection = await Connection.open(target);
    return { status: 0, object: {} };
  }
  const { status, body: bytes } = result;
  const json = unchunk(bytes).toString();
  try {
    return { status, object: JSON.parse(json) };
  } catch {
    return { status, object: { text: json } };
  }
}

for (const request of setUp(manifests)) {
  const { status, object } = await ask(request);
  if (status !== 201) console.error(`set-up: ${request.path} ${request.body.metadata.name}: ${status} ${object.message}`);
}
const bases = {};
for (const manifest of manifests) {
  const { status, object } = await ask(requestOf({ verb: 'create' }, manifest));
  bases[manifest.key] = factsOf(status, object).object ?? {};
}
const swagger = JSON.parse(readFileSync(option('swagger'), 'utf8'));
const lines = [];
for (const entry of makeCases(manifests, swagger)) {
  const { status, object } = await ask(requestOf(entry, byKey.get(entry.manifest)));
  const facts = factsOf(status, object);
  // A stream that was opened, or a connection that the server gave up, is no answer to compare.
  if (status === 0) continue;
  const { id, ...rest } = entry;
  const answer = facts.object ? { code: facts.code, object: difference(bases[entry.manifest], facts.object) } : facts;
  lines.push(JSON.stringify({ id, ...rest, answer }));
}
connection.close();
writeFileSync(here('bases.json'), `${JSON.stringify(bases)}\n`);
writeFileSync(here('cases.jsonl.gz'), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
console.log(`${lines.length} cases`);
