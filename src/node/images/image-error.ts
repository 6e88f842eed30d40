import { KubeError } from '../../base/errors.js';

/** Codes of errors about images: a name that cannot be, content that is refused, a registry that does not give, a store that is not in order. */
export type ImageErrorCode = 'KUBE_IMAGE_NAME' | 'KUBE_IMAGE_REFUSED' | 'KUBE_IMAGE_PULL' | 'KUBE_IMAGE_NOT_FOUND' | 'KUBE_IMAGE_STORE';

/** An error about an image; the message is fit for an event and says what is wrong with what. */
export class ImageError extends KubeError {
  constructor(code: ImageErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'ImageError';
  }
}

/** Content that is not taken: hostile, damaged, or of a kind that is not supported. */
export function refused(message: string, cause?: unknown): ImageError {
  return new ImageError('KUBE_IMAGE_REFUSED', message, cause === undefined ? undefined : { cause });
}
