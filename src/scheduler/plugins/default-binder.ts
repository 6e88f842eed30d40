import type { V1Binding } from '../../api/generated/types.js';
import { PODS } from '../../api/resource-refs.js';
import type { Client } from '../../client/index.js';
import type { BindPlugin } from '../framework/plugin.js';

/** Binds by the `pods/binding` subresource. */
export function defaultBinderPlugin(client: Client): BindPlugin {
  const pods = client.resource(PODS);
  return {
    name: 'DefaultBinder',
    bind: async ({ namespace, name, uid }, nodeName) => {
      const binding: V1Binding = { apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name, uid }, target: { kind: 'Node', name: nodeName } };
      await pods.createSubresource(namespace, name, 'binding', binding);
    },
  };
}
