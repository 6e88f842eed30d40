import type { V1StatefulSet } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const statefulSet = defineKind<V1StatefulSet>({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
});
