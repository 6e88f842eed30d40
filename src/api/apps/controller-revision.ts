import type { V1ControllerRevision } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const controllerRevision = defineKind<V1ControllerRevision>({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
});
