// The corpus of fields: many changes of every field of every kind. Its cases add verbs to those of corpus.mjs.
import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import { change, collectionOf, freshObject } from './corpus.mjs';

/** The manifests of corpus.mjs with the objects and statuses of a file in addition. */
export function readFurther(manifests, file) {
  const byKey = new Map(manifests.map((manifest) => [manifest.key, manifest]));
  for (const entry of load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA })) {
    if (entry.object) byKey.set(entry.key, { ...entry, ...(entry.createOnly ? { collection: entry.path } : { collection: collectionOf(entry) }), further: true });
    else byKey.set(entry.key, { ...byKey.get(entry.key), ...entry });
  }
  return [...byKey.values()];
}

/** Requests that bring a server, after the set-up of corpus.mjs, into the state in which this corpus is answered. */
export function furtherSetUp(manifests) {
  return manifests
    .filter(({ further, absent, createOnly }) => further && !absent && !createOnly)
    .flatMap((manifest) => [
      { method: 'POST', path: manifest.collection, body: manifest.object },
      ...(manifest.stored ? [{ method: 'PUT', path: `${oneOf(manifest)}/status`, body: { ...manifest.object, status: manifest.stored } }] : []),
    ]);
}

function oneOf(manifest) {
  return `${manifest.collection}/${manifest.object.metadata.name}`;
}

/** The request for the object that updates begin with. */
export function liveRequestOf(manifest) {
  return { method: 'GET', path: oneOf(manifest), accept: 'application/json' };
}

/** Method, path, headers and body of a case. Updates change `live`, the object as the server has it. */
export function fieldRequestOf(entry, manifest, live = manifest.object) {
  const changed = (object) => (entry.at ? change(object, entry.at, entry.value) : object);
  const accept = 'application/json';
  if (entry.verb === 'create') return { method: 'POST', path: `${manifest.collection}?dryRun=All`, accept, body: changed(manifest.createOnly ? manifest.object : withFreeAddresses(manifest)) };
  if (entry.verb === 'status') return { method: 'PUT', path: `${oneOf(manifest)}/status?dryRun=All`, accept, body: changed({ ...live, status: manifest.status }) };
  return { method: 'PUT', path: `${oneOf(manifest)}?dryRun=All`, accept, body: changed(live) };
}

/** A fresh object, with addresses and ports of services that no service of the set-up has. */
function withFreeAddresses(manifest) {
  if (manifest.key === 'events') return change(manifest.object, ['metadata', 'name'], 'base-fresh');
  const object = freshObject(manifest);
  if (!/^services(\/|$)/.test(manifest.key)) return object;
  return JSON.parse(JSON.stringify(object).replace(/10\.96\.77\./g, '10.96.78.').replace(/\b307(\d\d)\b/g, '306$1'));
}
