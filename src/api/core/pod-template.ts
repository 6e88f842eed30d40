import type { V1PodTemplate } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const podTemplate = defineKind<V1PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
});
