// Reads both sides: ours from the generator and the discovery code, the reference from its folder.
import { build } from 'esbuild';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDefinitions } from '../generate/definitions.mjs';
import { openApiDocuments } from '../generate/openapi.mjs';

const STABLE = /^v\d+$/;

/** What we publish. */
export async function readOurs() {
  const known = await readDefinitions();
  const { Discovery } = await load("export { Discovery } from './src/server/discovery/discovery.js';");
  const discovery = new Discovery({ serverAddress: () => '' });
  discovery.setResources(known.facts.RESOURCES);
  const get = async (path, accept = '') => JSON.parse((await discovery.handle(path, { accept })).bytes.toString());
  const versions = new Map();
  for (const { group, version } of known.facts.RESOURCES) {
    const groupVersion = group === '' ? version : `${group}/${version}`;
    if (!versions.has(groupVersion)) versions.set(groupVersion, await get(group === '' ? `/api/${version}` : `/apis/${groupVersion}`));
  }
  const served = new Set(known.facts.RESOURCES.map(({ group }) => group));
  return {
    served,
    openapi: openApiDocuments(known),
    discovery: {
      api: await get('/api'),
      apis: await get('/apis'),
      versions,
      aggregated: await get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'),
    },
  };
}

/** Bundles sources of ours and imports them. */
export async function load(contents) {
  const result = await build({ stdin: { contents, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' }, bundle: true, write: false, format: 'esm', platform: 'node', logLevel: 'warning' });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
}

/** What upstream publishes; documents of versions that are not stable, and of groups without a stable one, are left out. */
export async function readReference(folder, served) {
  const json = async (...path) => JSON.parse(await readFile(join(folder, ...path), 'utf8'));
  const versions = new Map();
  for (const file of await readdir(join(folder, 'discovery'))) {
    const match = /^apis?__(?:(.+)__)?(v\w+)\.json$/.exec(file);
    if (!match || !STABLE.test(match[2])) continue;
    versions.set(match[1] ? `${match[1]}/${match[2]}` : match[2], await json('discovery', file));
  }
  const v3 = new Map();
  for (const file of await readdir(join(folder, 'openapi', 'v3'))) {
    const name = file.replace(/_openapi\.json$/, '').replaceAll('__', '/');
    const match = /^apis\/([^/]+)(?:\/(.+))?$/.exec(name);
    if (match && (!served.has(match[1]) || (match[2] && !STABLE.test(match[2])))) continue;
    v3.set(name, await json('openapi', 'v3', file));
  }
  return {
    openapi: { v2: await json('openapi', 'swagger.json'), v3 },
    discovery: { api: await json('discovery', 'api.json'), apis: await json('discovery', 'apis.json'), versions, aggregated: await json('discovery', 'aggregated_v2.json') },
  };
}
