import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { nextTurn } from '../../base/steps.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { findCondition, isConditionTrue } from '../../api/helpers/conditions.js';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/resource-refs.js';
import { conflictError } from '../../api/status-error.js';
import type { Client } from '../../client/index.js';
import { FakeClient } from '../testing/fake-client.js';
import { FakeView } from '../testing/fake-view.js';
import type { CustomResources } from './custom-resources.js';
import { DefinitionController } from './definition-controller.js';

/** A controller whose writes of statuses wait until they are let go. */
function setUp(...definitions: readonly V1CustomResourceDefinition[]) {
  const view = new FakeView().put(CUSTOM_RESOURCE_DEFINITIONS, ...definitions);
  const fake = new FakeClient(view);
  const writes = new Map<string, (outcome?: Error) => void>();
  const client = {
    resource: () => ({
      updateStatus: (object: V1CustomResourceDefinition) =>
        new Promise<V1CustomResourceDefinition>((resolve, reject) => {
          writes.set(object.metadata!.name!, (error) => {
            writes.delete(object.metadata!.name!);
            if (error) reject(error);
            else resolve(fake.resource(CUSTOM_RESOURCE_DEFINITIONS).updateStatus(object));
          });
        }),
    }),
  } as unknown as Client;
  const resources = { sync: () => undefined, prepare: () => Promise.resolve() } as unknown as CustomResources;
  const controller = new DefinitionController({ view, client, resources, removeObjects: () => Promise.resolve(), clock: new FakeClock(), log: silentLogger });
  controller.start();
  const get = (name: string): V1CustomResourceDefinition => view.get(CUSTOM_RESOURCE_DEFINITIONS, '', name)!;
  return { controller, writes, get, settled: async () => { for (let i = 0; i < 5; i++) await nextTurn(); } };
}

const definition = (plural: string, kind: string): V1CustomResourceDefinition => ({
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural, singular: plural, kind, listKind: `${plural}List` }, versions: [{ name: 'v1', served: true, storage: true }] },
});

test('definitions are established while the writes of others are on their way', async () => {
  const { controller, writes, get, settled } = setUp(...Array.from({ length: 20 }, (_, i) => definition(`things${i}`, `Thing${i}`)));
  await settled();
  expect(writes.size).toBe(20);
  writes.get('things7.example.com')!();
  await settled();
  expect(isConditionTrue(get('things7.example.com').status?.conditions, 'Established')).toBe(true);
  controller.stop();
});

test('a name that is on its way to one definition is not given to another', async () => {
  const { controller, writes, get, settled } = setUp(definition('first', 'Same'), definition('second', 'Same'));
  await settled();
  for (const write of [...writes.values()]) write();
  await settled();
  expect(isConditionTrue(get('first.example.com').status?.conditions, 'Established')).toBe(true);
  expect(findCondition(get('second.example.com').status?.conditions, 'NamesAccepted')).toMatchObject({ status: 'False', reason: 'KindConflict' });
  controller.stop();
});

test('a name whose write failed is given to the one that was refused', async () => {
  const { controller, writes, get, settled } = setUp(definition('first', 'Same'), definition('second', 'Same'));
  await settled();
  writes.get('first.example.com')!(conflictError(CUSTOM_RESOURCE_DEFINITIONS, 'first.example.com', 'changed meanwhile'));
  writes.get('second.example.com')!();
  await settled();
  for (const write of [...writes.values()]) write();
  await settled();
  expect(isConditionTrue(get('second.example.com').status?.conditions, 'Established')).toBe(true);
  controller.stop();
});
