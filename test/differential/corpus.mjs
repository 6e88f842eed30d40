// Makes the differential corpus: requests derived from valid objects and from the kinds' schemas. Deterministic.
import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import { definitionOf, nameDefinitions, nameOf, resolve } from './swagger.mjs';

const NAMESPACE = 'diff';

/** All manifests: key, object, whether cluster-scoped, and the path of their collection. */
export function readManifests(file) {
  return load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA }).map((entry) => {
    return { ...entry, collection: collectionOf(entry), everywhere: collectionOf({ ...entry, cluster: true }) };
  });
}

/** The path of the collection that a manifest's object belongs to. */
export function collectionOf({ key, cluster, object: { apiVersion } }) {
  const plural = key.split('/')[0].split('.')[0];
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return cluster ? `${prefix}/${plural}` : `${prefix}/namespaces/${NAMESPACE}/${plural}`;
}

/** Requests that bring a fresh server into the state in which the corpus is answered. */
export function setUp(manifests) {
  return [
    { method: 'POST', path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } } },
    { method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } } },
    { method: 'POST', path: '/apis/node.k8s.io/v1/runtimeclasses', body: { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'rc' }, handler: 'rc' } },
    { method: 'POST', path: '/apis/storage.k8s.io/v1/storageclasses', body: { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'a.b/c', allowVolumeExpansion: true } },
    ...manifests.filter((manifest) => !manifest.absent).map((manifest) => ({ method: 'POST', path: manifest.collection, body: manifest.object, manifest: manifest.key })),
  ];
}

const SKIP = new Set(['apiVersion', 'kind', 'managedFields', 'status']);

/** Calls `visit(path, schema)` for every field below an object of `schema`; arrays are entered through their first item. */
function walk(swagger, schema, object, path, depth, visit, deepMetadata, above = []) {
  // Schemas of schemas contain themselves.
  if (above.includes(schema)) return;
  for (const [name, raw] of Object.entries(schema.properties ?? {})) {
    if (depth === 0 && SKIP.has(name)) continue;
    const here = [...path, name];
    const text = here.join('.');
    // The pod spec is walked once, in the pod itself.
    if (/(^|\.)template\.spec\.(?!containers$|restartPolicy$)/.test(text)) continue;
    // The rules of metadata are the same for every kind; a few are asked.
    if (depth >= 1 && path[0] === 'metadata' && !deepMetadata) continue;
    if (depth === 1 && path[0] === 'metadata' && ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation', 'resourceVersion', 'selfLink', 'uid', 'managedFields', 'name', 'namespace', 'generateName'].includes(name)) continue;
    const resolved = resolve(swagger, raw);
    visit(here, resolved, `${nameOf(schema)}.${name}`);
    if (depth > 11) continue;
    if (resolved.type === 'array') {
      const items = resolve(swagger, resolved.items);
      const current = object?.[name]?.[0];
      if (items.properties) walk(swagger, items, current, [...here, 0], depth + 2, visit, deepMetadata, [...above, schema]);
      else visit([...here, 0], items);
    } else if (resolved.properties) walk(swagger, resolved, object?.[name], here, depth + 1, visit, deepMetadata, [...above, schema]);
  }
}

/** Bad values for a field: one of the wrong JSON type, one or two of the right type that most rules refuse. */
function badValues(schema) {
  switch (schema.type) {
    case 'integer': case 'number': return [['type', 'text'], ['negative', -1], ...(schema.format === 'int32' ? [['large', 2147483647]] : [])];
    case 'boolean': return [['type', 'yes']];
    case 'array': return [['type', {}], ['empty', []]];
    case 'string':
      if (schema.format === 'int-or-string') return [['type', true], ['negative', -1], ['text', 'a_b%']];
      if (schema.format === 'byte') return [['type', 1], ['text', '!!']];
      if (schema.format === 'date-time') return [['type', 1], ['text', 'yesterday']];
      return [['type', 5], ['text', 'Bad_Value! '], ['empty', '']];
    default: return schema.additionalProperties ? [['type', 'text'], ['key', { 'Bad Key!': badEntry(schema.additionalProperties) }]] : [['type', 'text'], ['empty', {}]];
  }
}

function badEntry(schema) {
  return schema.type === 'array' ? ['x'] : schema.type === 'object' ? {} : 'Bad Value!';
}

/** A change of a valid value that stays of the same type: shows what is immutable. */
function changed(value) {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return undefined;
}

function leaves(value, path, visit) {
  if (Array.isArray(value)) value.slice(0, 1).forEach((item, i) => leaves(item, [...path, i], visit));
  else if (value && typeof value === 'object') for (const [key, item] of Object.entries(value)) leaves(item, [...path, key], visit);
  else visit(path, value);
}

/** All cases. A case names its manifest and the one change made to it; see `requestOf`. */
export function makeCases(manifests, swagger) {
  nameDefinitions(swagger);
  const cases = [];
  const typed = new Set();
  for (const manifest of manifests) {
    const add = (name, rest) => cases.push({ id: `${manifest.key}: ${name}`, manifest: manifest.key, ...rest });
    const schema = definitionOf(swagger, manifest.object);
    const name = manifest.object.metadata.name;
    const one = `${manifest.collection}/${name}`;

    // What holds for a kind, whatever an object sets, is tried with the first object of the kind.
    const variant = manifest.key.includes('/');
    add('create', { verb: 'create' });
    if (!variant) addMetadataCases(add, manifest);

    // Variants of a kind differ in what they set; the fields that they leave out are tried with the first one.
    walk(swagger, schema, manifest.object, [], 0, (path, field, about) => {
      if (variant && get(manifest.object, path) === undefined) return;
      // What is of a wrong type is found by the decoder, which knows types, not where they stand.
      const known = about !== undefined && !about.startsWith('.') && (typed.has(about) || !typed.add(about));
      for (const [what, value] of badValues(field)) if (!known || what !== 'type') add(`create, ${path.join('.')} ${what}`, { verb: 'create', at: path, value });
      if (path.length > 1 || manifest.object[path[0]] !== undefined) {
        if (get(manifest.object, path) !== undefined && path[0] !== 'metadata') {
          add(`create, without ${path.join('.')}`, { verb: 'create', at: path });
          add(`create, ${path.join('.')} null`, { verb: 'create', at: path, value: null });
        }
      }
    }, ['configmaps', 'pods', 'namespaces', 'deployments.apps', 'leases.coordination.k8s.io', 'clusterroles.rbac.authorization.k8s.io'].includes(manifest.key));

    leaves(manifest.object, [], (path, value) => {
      if (['apiVersion', 'kind'].includes(path[0]) || (path[0] === 'metadata' && path[1] === 'name')) return;
      add(`update, ${path.join('.')} changed`, { verb: 'update', at: path, value: changed(value) });
      add(`update, without ${path.join('.')}`, { verb: 'update', at: path });
    });
    add('update, unchanged', { verb: 'update' });
    if (variant) continue;
    add('update, old resourceVersion', { verb: 'update', at: ['metadata', 'resourceVersion'], value: '1' });
    add('update, bad resourceVersion', { verb: 'update', at: ['metadata', 'resourceVersion'], value: 'abc' });
    add('update, wrong uid', { verb: 'update', at: ['metadata', 'uid'], value: 'wrong' });
    add('update, other name', { verb: 'update', at: ['metadata', 'name'], value: 'other' });
    add('update, absent', { verb: 'update', path: `${manifest.collection}/absent`, at: ['metadata', 'name'], value: 'absent' });

    const patch = (what, type, body, path = one) => add(`patch, ${what}`, { verb: 'patch', path, type: `application/${type}`, body });
    patch('merge label', 'merge-patch+json', { metadata: { labels: { patched: 'yes' } } });
    patch('merge bad label', 'merge-patch+json', { metadata: { labels: { patched: 'not ok!' } } });
    patch('merge remove label', 'merge-patch+json', { metadata: { labels: null } });
    patch('merge wrong type', 'merge-patch+json', { metadata: { labels: 5 } });
    patch('merge not an object', 'merge-patch+json', [1]);
    patch('merge name', 'merge-patch+json', { metadata: { name: 'other' } });
    patch('merge kind', 'merge-patch+json', { kind: 'Other' });
    patch('merge resourceVersion', 'merge-patch+json', { metadata: { resourceVersion: '1' } });
    patch('merge unknown field', 'merge-patch+json', { unknownField: 1 });
    patch('merge absent object', 'merge-patch+json', {}, `${manifest.collection}/absent`);
    patch('json add', 'json-patch+json', [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]);
    patch('json test fails', 'json-patch+json', [{ op: 'test', path: '/metadata/name', value: 'wrong' }]);
    patch('json remove absent', 'json-patch+json', [{ op: 'remove', path: '/metadata/absent' }]);
    patch('json bad op', 'json-patch+json', [{ op: 'wrong', path: '/metadata' }]);
    patch('json not a list', 'json-patch+json', { op: 'add' });
    patch('json copy', 'json-patch+json', [{ op: 'copy', from: '/metadata/name', path: '/metadata/labels/copied' }]);
    patch('strategic label', 'strategic-merge-patch+json', { metadata: { labels: { patched: 'yes' } } });
    patch('strategic finalizers', 'strategic-merge-patch+json', { metadata: { finalizers: ['a.b/c'] } });
    patch('strategic directive', 'strategic-merge-patch+json', { metadata: { labels: { $patch: 'replace', only: 'this' } } });
    patch('strategic bad directive', 'strategic-merge-patch+json', { metadata: { labels: { $patch: 'wrong' } } });
    patch('unknown type', 'wrong+json', {});

    add('get', { verb: 'get', path: one });
    add('get, absent', { verb: 'get', path: `${manifest.collection}/absent` });
    add('get, Table', { verb: 'get', path: one, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    add('get, metadata only', { verb: 'get', path: one, accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' });
    add('get, not acceptable', { verb: 'get', path: one, accept: 'text/html' });
    if (manifest.key === 'configmaps') add('get, future resourceVersion', { verb: 'get', path: one, query: 'resourceVersion=99999999' });
    add('get, bad resourceVersion', { verb: 'get', path: one, query: 'resourceVersion=abc' });
    for (const selector of ['metadata.name%3Dbase', 'metadata.namespace%3Ddiff', 'wrong.field%3Dx', 'metadata.name', 'metadata.name%3D%3D', 'metadata.name!%3Dbase', 'spec.nodeName%3Dx', 'status.phase%3DPending', 'type%3DOpaque']) add(`list, field selector ${selector}`, { verb: 'list', path: manifest.collection, query: `fieldSelector=${selector}` });
    // Forms that no kind treats in a way of its own are tried on a few of them.
    const sample = ['configmaps', 'pods', 'namespaces', 'deployments.apps'].includes(manifest.key);
    if (sample) for (const selector of ['app', '!app', 'app%3Dbase', 'app+in+(base,x)', 'app+notin+(base)', 'a+b', 'app%3D', '%3Dx', 'app+in', 'app>5', 'app%3Dbad value', 'app+in+()', ',', 'a/b/c%3Dx']) add(`list, label selector ${selector}`, { verb: 'list', path: manifest.collection, query: `labelSelector=${encodeURI(selector)}` });
    if (sample) for (const query of ['limit=1', 'limit=-1', 'limit=x', 'continue=wrong', 'resourceVersion=0', 'resourceVersion=x', 'resourceVersion=1&resourceVersionMatch=Exact', 'resourceVersionMatch=Exact', 'resourceVersionMatch=wrong&resourceVersion=5', 'resourceVersion=0&resourceVersionMatch=Exact', 'sendInitialEvents=true', 'watch=true&resourceVersion=x', 'watch=true&fieldSelector=wrong.field%3Dx']) add(`list, ${query}`, { verb: 'list', path: manifest.collection, query });
    add('list, Table', { verb: 'list', path: manifest.collection, accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', query: 'limit=2' });
    for (const [what, body, query] of [
      ['plain', undefined, ''], ['background', { propagationPolicy: 'Background' }, ''], ['orphan', { propagationPolicy: 'Orphan' }, ''], ['foreground', { propagationPolicy: 'Foreground' }, ''],
      ['bad policy', { propagationPolicy: 'Wrong' }, ''], ['both policies', { propagationPolicy: 'Orphan', orphanDependents: true }, ''], ['negative grace', { gracePeriodSeconds: -1 }, ''], ['wrong uid', { preconditions: { uid: 'wrong' } }, ''],
      ['wrong resourceVersion', { preconditions: { resourceVersion: '1' } }, ''], ['by query', undefined, 'gracePeriodSeconds=5'], ['bad query', undefined, 'gracePeriodSeconds=x'], ['bad dry run', { dryRun: ['Wrong'] }, ''],
    ]) add(`delete, ${what}`, { verb: 'delete', path: one, ...(body ? { body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'], ...body } } : {}), query });
    add('delete, absent', { verb: 'delete', path: `${manifest.collection}/absent` });
    add('status, get', { verb: 'get', path: `${one}/status` });
    add('status, merge', { verb: 'patch', path: `${one}/status`, type: 'application/merge-patch+json', body: { metadata: { labels: { s: 't' } } } });
    add('scale, get', { verb: 'get', path: `${one}/scale` });
    add('scale, negative', { verb: 'patch', path: `${one}/scale`, type: 'application/merge-patch+json', body: { spec: { replicas: -1 } } });
    add('unknown subresource', { verb: 'get', path: `${one}/wrong` });
  }
  // A change that leaves no value behind it or repeats another case says nothing.
  const seen = new Set();
  return cases.filter((entry) => !seen.has(entry.id) && seen.add(entry.id));
}

/** Rules of metadata, and of requests as such. */
function addMetadataCases(add, manifest) {
  for (const bad of ['', 'UPPER', 'a_b', 'x'.repeat(254), 'a..b', '-a', 'a/b', '.', 'a%b']) add(`create, name ${JSON.stringify(bad)}`, { verb: 'create', at: ['metadata', 'name'], value: bad, keepName: true });
  add('create, generateName', { verb: 'create', at: ['metadata'], value: { generateName: 'gen-' }, keepName: true });
  add('create, bad generateName', { verb: 'create', at: ['metadata'], value: { generateName: 'Gen_' }, keepName: true });
  for (const [label, labels] of Object.entries({ key: { 'a b': 'c' }, value: { a: 'b c' }, long: { ['a'.repeat(64)]: 'x' }, prefix: { 'A_/b': 'c' }, empty: { '': 'c' } })) add(`create, bad label ${label}`, { verb: 'create', at: ['metadata', 'labels'], value: labels });
  add('create, bad annotation', { verb: 'create', at: ['metadata', 'annotations'], value: { 'a b': 'c' } });
  add('create, bad owner', { verb: 'create', at: ['metadata', 'ownerReferences'], value: [{ apiVersion: '', kind: '', name: '', uid: '' }] });
  add('create, bad finalizer', { verb: 'create', at: ['metadata', 'finalizers'], value: ['bad finalizer', 'nodomain'] });
  add('create, wrong kind', { verb: 'create', at: ['kind'], value: 'Wrong' });
  add('create, wrong version', { verb: 'create', at: ['apiVersion'], value: 'wrong/v1' });
  add('create, no kind', { verb: 'create', at: ['kind'] });
  add('create, with resourceVersion', { verb: 'create', at: ['metadata', 'resourceVersion'], value: '5' });
  if (!manifest.cluster) add('create, other namespace', { verb: 'create', at: ['metadata', 'namespace'], value: 'other' });
  for (const mode of ['Strict', 'Warn', 'Ignore', 'Wrong']) add(`create, unknown field, ${mode}`, { verb: 'create', at: ['unknownField'], value: 1, query: `fieldValidation=${mode}` });
  add('create, unknown nested field', { verb: 'create', at: ['metadata', 'unknownField'], value: 1, query: 'fieldValidation=Strict' });
  add('create, already there', { verb: 'create', keepName: true, query: '' });
}

function get(object, path) {
  return path.reduce((value, key) => value?.[key], object);
}

/** The object with one change; what lies on the way is made, what does not is shared. An absent value removes. */
export function change(object, [key, ...rest], value) {
  const copy = Array.isArray(object) ? [...object] : { ...object };
  if (rest.length > 0) {
    const below = copy[key];
    copy[key] = change(typeof below === 'object' && below !== null ? below : typeof rest[0] === 'number' ? [] : {}, rest, value);
  } else if (value !== undefined) copy[key] = value;
  else if (Array.isArray(copy)) copy.splice(key, 1);
  else delete copy[key];
  return copy;
}

const DRY = 'dryRun=All';

/** Method, path, headers and body of a case. */
export function requestOf(entry, manifest) {
  const accept = entry.accept ?? 'application/json';
  const withQuery = (path, ...parts) => {
    const query = parts.filter(Boolean).join('&');
    return query ? `${path}?${query}` : path;
  };
  switch (entry.verb) {
    case 'create': {
      const fresh = entry.keepName ? manifest.object : freshObject(manifest);
      return { method: 'POST', path: withQuery(manifest.collection, DRY, entry.query ?? 'fieldValidation=Ignore'), accept, body: entry.at ? change(fresh, entry.at, entry.value) : fresh };
    }
    case 'update':
      return { method: 'PUT', path: withQuery(entry.path ?? `${manifest.collection}/${manifest.object.metadata.name}`, DRY, entry.query), accept, body: entry.at ? change(manifest.object, entry.at, entry.value) : manifest.object };
    case 'patch':
      return { method: 'PATCH', path: withQuery(entry.path, DRY), accept, type: entry.type, body: entry.body };
    case 'delete':
      return { method: 'DELETE', path: withQuery(entry.path, DRY, entry.query), accept, body: entry.body };
    default:
      return { method: 'GET', path: withQuery(entry.path, entry.query), accept };
  }
}

const RENAMED = {
  'customresourcedefinitions.apiextensions.k8s.io': [/widget/g, 'gadget', /Widget/g, 'Gadget'],
  'apiservices.apiregistration.k8s.io': [/b\.example/g, 'c.example'],
  'customresourcedefinitions.apiextensions.k8s.io/versions': [/parts/g, 'pieces', /Part/g, 'Piece'],
  'ipaddresses.networking.k8s.io': [/10\.96\.200\.1/g, '10.96.200.2'],
};

/** The manifest's object under another name; some names are not free but follow from the content. */
export function freshObject({ key, object }) {
  const rules = RENAMED[key];
  if (!rules) return change(object, ['metadata', 'name'], `${object.metadata.name}-new`);
  let text = JSON.stringify(object);
  for (let i = 0; i < rules.length; i += 2) text = text.replace(rules[i], rules[i + 1]);
  return JSON.parse(text);
}
