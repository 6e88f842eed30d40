import type { StatusError } from '../../../api/status-error.js';

/** A webhook that gave no usable answer; whether that matters is up to its failure policy. The message is upstream's. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';

  constructor(
    webhook: string,
    why: string,
    /** What the failure counts as. */
    readonly code: number,
    /** The request itself is over; nobody is to blame. */
    readonly canceled = false,
  ) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`);
  }
}

/** A webhook that said no. */
export class HookRejection extends Error {
  override readonly name = 'HookRejection';

  constructor(readonly status: StatusError) {
    super(status.message);
  }
}
