import type { V1OwnerReference } from '../../api/generated/types.js';
import { KINDS } from '../../api/kinds.js';
import { CONFIG_MAPS } from '../../api/resource-refs.js';
import { Scheme } from '../../api/scheme/scheme.js';
import type { ApiCore } from '../handler/api-core.js';
import { attributesFor } from '../testing/attributes.js';
import { testContext } from '../testing/context.js';
import { runPlugin } from '../testing/run-plugin.js';
import { OwnerReferencesPermissionEnforcement } from './owner-references.js';
import { RESOURCES } from '../../api/facts/resources.js';

const map = (...ownerReferences: V1OwnerReference[]) => ({ metadata: { namespace: 'ns', name: 'c', ownerReferences } });
const owner = (kind: string, more: Partial<V1OwnerReference> = {}): V1OwnerReference => ({ apiVersion: 'apps/v1', kind, name: 'o', uid: 'u', ...more });

function setup(allowed: readonly string[]) {
  const asked: string[] = [];
  const scheme = new Scheme(KINDS, RESOURCES);
  const context = testContext({}, {
    core: () => ({ scheme }) as ApiCore,
    authorize: ({ verb, group, resource, subresource, namespace, name }) => {
      const text = `${verb} ${group}/${resource}${subresource === '' ? '' : `/${subresource}`} ${namespace}/${name}`;
      asked.push(text);
      return { decision: allowed.includes(text) ? 'allow' : 'no-opinion', reason: 'no rule' };
    },
  });
  return { asked, plugin: new OwnerReferencesPermissionEnforcement(context) };
}

test('new objects have owners freely; an owner that they hold up needs its finalizers', async () => {
  const { plugin, asked } = setup(['update apps/deployments/finalizers ns/o']);
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map(owner('Deployment'))))).toBeUndefined();
  expect(asked).toEqual([]);
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map(owner('Deployment', { blockOwnerDeletion: true }))))).toBeUndefined();
  expect(asked).toEqual(['update */*/finalizers /*', 'update apps/deployments/finalizers ns/o']);
  const why = 'configmaps "c" is forbidden: cannot set blockOwnerDeletion';
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map(owner('StatefulSet', { blockOwnerDeletion: true }))))).toBe(
    `403 ${why} if an ownerReference refers to a resource you can't set finalizers on: no rule, <nil>`);
  expect(await runPlugin(plugin, attributesFor(CONFIG_MAPS, map(owner('Nope', { blockOwnerDeletion: true }))))).toBe(
    `403 ${why} in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Nope: no matches for kind "Nope" in version "apps/v1"`);
});

test('changing the owners of what is there needs permission to delete it', async () => {
  const { plugin, asked } = setup(['delete /configmaps ns/c']);
  const update = (before: V1OwnerReference[], after: V1OwnerReference[]) => attributesFor(CONFIG_MAPS, map(...after), { operation: 'UPDATE', oldObject: map(...before) });
  const blocking = owner('Deployment', { blockOwnerDeletion: true });
  expect(await runPlugin(plugin, update([blocking], [{ ...blocking, controller: true }]))).toBeUndefined();
  expect(asked).toEqual(['delete /configmaps ns/c']);
  expect(await runPlugin(plugin, update([owner('Deployment')], [blocking]))).toContain("can't set finalizers on");
  const without = setup([]);
  expect(await runPlugin(without.plugin, update([blocking], []))).toBe(`403 configmaps "c" is forbidden: cannot set an ownerRef on a resource you can't delete: no rule, <nil>`);
  expect(await runPlugin(without.plugin, update([blocking], [blocking]))).toBeUndefined();
});
