import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { AdmissionAttributes } from '../admission/plugin.js';
import { AdmissionChain } from './admission-chain.js';

const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };

test.each([
  ['broken', [{ ...entry, operation: 'Write' }], [entry]],
  ['changed', [{ ...entry, manager: 'other' }], [{ ...entry, manager: 'other' }]],
  ['taken away', undefined, undefined],
])('managed fields that a plugin has %s', async (what, after, kept) => {
  const object = { metadata: { name: 'x', managedFields: [entry] } } as unknown as Draft<KubeObject>;
  const warnings: string[] = [];
  const attributes = { operation: 'CREATE', object, warn: (text: string) => warnings.push(text) } as unknown as AdmissionAttributes;
  const chain = new AdmissionChain([
    {
      name: 'Plugin',
      handles: () => true,
      admit: ({ object: draft }) => {
        draft!.metadata!.managedFields = after as never;
      },
    },
  ]);
  await chain.admit(attributes);
  expect(object.metadata!.managedFields).toEqual(kept);
  expect(warnings).toHaveLength(what === 'broken' ? 1 : 0);
  if (what === 'broken') expect(warnings[0]).toMatch(/^\.metadata\.managedFields was in an invalid state after admission; .*: operation must be `Apply` or `Update`$/);
});
