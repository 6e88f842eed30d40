import type { V1CronJob } from '../generated/types.js';
import { defineKind } from '../scheme/kind.js';

export const cronJob = defineKind<V1CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
});
