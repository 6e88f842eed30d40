import type { V1DaemonSet } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const daemonSet = defineKind<V1DaemonSet>({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
});
