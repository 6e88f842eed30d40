#!/usr/bin/env node
// node test/differential/record-fields.mjs --kubeconfig FILE --swagger FILE [--everything FILE] [--keep FILE]
// Asks a fresh reference API server (no controllers) all variations of all manifests, and writes the answers that say something new
// to fields.jsonl.gz and field-bases.json beside this file. A case that is there already stays, as do those whose ids --keep names.
// --everything writes all cases, for work on the differences. The Swagger document should name the values of enums.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Connection, requestBytes, unchunk } from '../../scripts/bench-lib/connection.mjs';
import { readTarget } from '../../scripts/bench-lib/target.mjs';
import { difference, factsOf, warningsOf } from './answer.mjs';
import { readManifests, setUp } from './corpus.mjs';
import { fieldRequestOf, furtherSetUp, liveRequestOf, readFurther } from './fields.mjs';
import { nameDefinitions } from './swagger.mjs';
import { makeVariations, signatureOf } from './variations.mjs';

const option = (name) => (process.argv.includes(`--${name}`) ? process.argv[process.argv.indexOf(`--${name}`) + 1] : undefined);
const here = (name) => new URL(name, import.meta.url);
const target = await readTarget(option('kubeconfig'), 'reference');
const first = readManifests(here('manifests.yaml'));
const manifests = readFurther(first, here('further.yaml'));
const swagger = JSON.parse(readFileSync(option('swagger'), 'utf8'));
nameDefinitions(swagger);
/** Several requests are on their way at once; nothing of what is asked changes the server. */
const CONNECTIONS = 4;
const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(target)));

async function ask({ method, path, body, type, accept }, lane = 0) {
  const request = requestBytes(target, method, path, body, { ...(type ? { contentType: type } : {}), ...(accept ? { accept } : {}) });
  try {
    const { status, headers, body: bytes } = await connections[lane].request(request);
    return { status, object: JSON.parse(unchunk(bytes).toString()), warnings: warningsOf([...headers.matchAll(/^warning: (.*)$/gim)].map(([, value]) => value)) };
  } catch (error) {
    console.error(`${method} ${path}: ${error.message}`);
    connections[lane].close();
    connections[lane] = await Connection.open(target);
    return { status: 0, object: {}, warnings: [] };
  }
}

for (const request of [...setUp(first), ...furtherSetUp(manifests)]) {
  const { status, object } = await ask(request);
  if (status > 201) console.error(`set-up: ${request.method} ${request.path} ${request.body.metadata.name}: ${status} ${object.message}`);
}
const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
const lives = new Map();
for (const manifest of manifests) if (!manifest.createOnly && !manifest.absent) lives.set(manifest.key, (await ask(liveRequestOf(manifest))).object);
const bases = {};
for (const manifest of manifests) {
  for (const verb of ['create', ...(manifest.createOnly || manifest.absent ? [] : ['update']), ...(manifest.status ? ['status'] : [])]) {
    const { status, object, warnings } = await ask(fieldRequestOf({ verb }, manifest, lives.get(manifest.key)));
    if (status > 201) console.error(`base: ${verb} ${manifest.key}: ${status} ${String(object.message).slice(0, 200)}`);
    const { object: flat = {}, warnings: said = [] } = factsOf(status, object, warnings);
    bases[`${manifest.key}|${verb}`] = { flat, warnings: said };
  }
}
/**
 * Faults of the server, ports that it picks at random, and what belongs to the expressions of policies and to the availability of
 * other servers, which have tests of their own.
 */
function isNoRule(entry, facts) {
  if (entry.manifest.startsWith('apiservices') && entry.verb === 'update' && facts.object) return true;
  const port = facts.object?.['spec.healthCheckNodePort'];
  return facts.code === 500 || (port !== undefined && !/^30[67]90$/.test(port)) || /compilation failed|must evaluate to/.test(JSON.stringify(facts.causes ?? []));
}

const linesOf = (file) => (existsSync(file) ? readFileSync(file) : undefined);
const kept = new Set(option('keep') ? readFileSync(option('keep'), 'utf8').split('\n') : []);
const recorded = linesOf(here('fields.jsonl.gz'));
if (recorded) for (const line of gunzipSync(recorded).toString().trim().split('\n')) kept.add(JSON.parse(line).id);
const entries = [...new Map(makeVariations(manifests, swagger).map((entry) => [entry.id, entry])).values()];
const answers = [];
let next = 0;
await Promise.all(connections.map(async (_, lane) => {
  while (next < entries.length) {
    const at = next++;
    const { status, object, warnings } = await ask(fieldRequestOf(entries[at], byKey.get(entries[at].manifest), lives.get(entries[at].manifest)), lane);
    answers[at] = factsOf(status, object, warnings);
  }
}));
for (const connection of connections) connection.close();
const signatures = new Set();
const lines = [];
const everything = [];
for (const [at, entry] of entries.entries()) {
  const facts = answers[at];
  if (facts.code === 0 || isNoRule(entry, facts)) continue;
  const base = bases[`${entry.manifest}|${entry.verb}`];
  const { about, ...rest } = entry;
  const said = facts.warnings?.join() === base.warnings.join() ? {} : { warnings: facts.warnings ?? [] };
  const answer = facts.object ? { code: facts.code, object: difference(base.flat, facts.object), ...said } : { ...facts };
  const line = JSON.stringify({ ...rest, answer });
  everything.push(line);
  const signature = signatureOf(entry, { ...facts, ...said });
  const isNew = !signatures.has(signature);
  signatures.add(signature);
  if (isNew || kept.has(entry.id)) lines.push(line);
}
if (option('everything')) writeFileSync(option('everything'), gzipSync(`${everything.join('\n')}\n`));
writeFileSync(here('field-bases.json'), `${JSON.stringify(bases)}\n`);
writeFileSync(here('fields.jsonl.gz'), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
console.log(`${lines.length} of ${everything.length} cases`);
