import { ImageError } from '../image-error.js';

/** A registry said no, or could not be reached. */
export class RegistryError extends ImageError {
  constructor(
    message: string,
    /** HTTP status; 0: there was no answer. */
    readonly status: number,
    /** It may work when tried again. */
    readonly temporary: boolean,
    /** Milliseconds that the registry asked to wait. */
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super('KUBE_IMAGE_PULL', message, options);
    this.name = 'RegistryError';
  }
}
