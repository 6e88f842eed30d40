import type { V1FlowSchema } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const flowSchema = defineKind<V1FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
});
