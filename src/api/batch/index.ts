import type { KindDefinition } from '../scheme/kind.js';
import { cronJob } from './cron-job.js';
import { job } from './job.js';

/** Every kind of the batch group. */
export const kinds = [
  cronJob,
  job,
] as unknown as readonly KindDefinition[];
