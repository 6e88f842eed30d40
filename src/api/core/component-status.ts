import type { V1ComponentCondition, V1ComponentStatus } from '../generated/types.js';
import { NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

export const componentStatus = defineKind<V1ComponentStatus>({
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  columns: [
    NAME,
    text('Status', (object) => {
      const condition = healthy(object);
      return condition === undefined ? 'Unknown' : condition.status === 'True' ? 'Healthy' : 'Unhealthy';
    }),
    text('Message', (object) => healthy(object)?.message ?? ''),
    text('Error', (object) => healthy(object)?.error ?? ''),
  ],
});

function healthy(object: V1ComponentStatus): V1ComponentCondition | undefined {
  return (object.conditions ?? []).find((condition) => condition.type === 'Healthy');
}
