import { CONFIG_MAPS, NAMESPACES } from '../../api/resource-refs.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import { runPlugin } from '../testing/run-plugin.js';
import { AlwaysDeny } from './always.js';
import { NamespaceAutoProvision } from './namespace-auto-provision.js';
import { NamespaceExists } from './namespace-exists.js';

const map = { metadata: { namespace: 'ns', name: 'c' } };

test('namespaces are made when something is made in them', async () => {
  const context = testContext();
  const plugin = new NamespaceAutoProvision(context);
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map, { dryRun: true }))).toBeUndefined();
  expect(context.view.get(NAMESPACES, '', 'ns')).toBeUndefined();
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map))).toBeUndefined();
  expect(context.view.get(NAMESPACES, '', 'ns')).toBeDefined();
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map))).toBeUndefined();
});

test('or they have to be there', async () => {
  const context = testContext();
  const plugin = new NamespaceExists(context);
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, undefined, { operation: 'DELETE', namespace: 'ns', oldObject: map }))).toBe('404 namespaces "ns" not found');
  context.view.put(NAMESPACES, { metadata: { name: 'ns' } });
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map))).toBeUndefined();
});

test('everything can be denied', async () => {
  expect(await runPlugin(new AlwaysDeny(), attributesFor(CONFIG_MAPS, map))).toBe('403 configmaps "c" is forbidden: admission control is denying all modifications');
});
