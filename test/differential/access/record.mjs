#!/usr/bin/env node
// node test/differential/access/record.mjs --kubeconfig FILE
// Asks a fresh reference cluster (API server with Node and RBAC, and the controller that aggregates cluster roles) who may do what, and
// writes identities, requests and decisions to decisions.json.gz beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { CORE_SCHEMA, load } from 'js-yaml';
import { Connection, requestBytes, unchunk } from '../../../scripts/bench-lib/connection.mjs';
import { readTarget } from '../../../scripts/bench-lib/target.mjs';
import { identitiesOf, requestsOf, roleBindings } from './matrix.mjs';
import { collectionOf } from './set-up.mjs';

const CONNECTIONS = 8;
const option = (name) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const here = (name) => new URL(name, import.meta.url);
const target = await readTarget(option('kubeconfig'), 'reference');

async function ask(connection, method, path, body) {
  const { status, body: bytes } = await connection.request(requestBytes(target, method, path, body));
  return { status, object: JSON.parse(unchunk(bytes).toString()) };
}

const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(target)));
const first = connections[0];
const get = async (path) => (await ask(first, 'GET', path)).object;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const defaults = { clusterRoles: (await get(`${RBAC}/clusterroles`)).items.filter((role) => role.metadata.labels?.['kubernetes.io/bootstrapping']).map((role) => role.metadata.name),
  bindings: [...(await get(`${RBAC}/clusterrolebindings`)).items, ...(await get(`${RBAC}/rolebindings`)).items].filter((binding) => binding.metadata.labels?.['kubernetes.io/bootstrapping']) };
const objects = [...load(readFileSync(here('set-up.yaml'), 'utf8'), { schema: CORE_SCHEMA }), ...roleBindings(defaults.clusterRoles)];
for (const object of objects) {
  const { status, object: answer } = await ask(first, 'POST', collectionOf(object), object);
  if (status !== 201 && status !== 409) throw new Error(`${object.kind} ${object.metadata.name}: ${answer.message}`);
}
const discovered = [];
for (const path of ['/api/v1', ...(await get('/apis')).groups.map((group) => `/apis/${group.preferredVersion.groupVersion}`)]) {
  const { groupVersion, resources } = await get(path);
  for (const { name, namespaced } of resources) discovered.push({ group: groupVersion.includes('/') ? groupVersion.split('/')[0] : '', name, namespaced });
}
await new Promise((resolve) => setTimeout(resolve, 5000));

const identities = identitiesOf(defaults);
const requests = requestsOf(discovered);
const reasons = [''];
const decisions = identities.map(() => new Array(requests.length));
const whys = [];
let next = 0;
await Promise.all(connections.map(async (connection) => {
  while (next < identities.length * requests.length) {
    const index = next++;
    const [who, what] = [Math.floor(index / requests.length), index % requests.length];
    const { user, groups, extra } = identities[who];
    const spec = { user, groups, ...(extra ? { extra } : {}), ...(requests[what].path ? { nonResourceAttributes: requests[what] } : { resourceAttributes: requests[what] }) };
    const { status, object } = await ask(connection, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
    if (status !== 201) throw new Error(JSON.stringify(object));
    const { allowed, denied, reason = '' } = object.status;
    decisions[who][what] = allowed ? 'a' : denied ? 'd' : '-';
    // Which of several bindings is named is up to chance; why not is not.
    if (allowed || reason === '') continue;
    if (!reasons.includes(reason)) reasons.push(reason);
    whys.push([who, what, reasons.indexOf(reason)]);
  }
}));
whys.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
for (const connection of connections) connection.close();
const text = JSON.stringify({ clusterRoles: defaults.clusterRoles, identities, requests, decisions: decisions.map((row) => row.join('')), reasons, whys });
writeFileSync(here('decisions.json.gz'), gzipSync(text, { level: 9 }));
console.log(`${identities.length} identities, ${requests.length} requests, ${decisions.flat().filter((decision) => decision === 'a').length} allowed`);
