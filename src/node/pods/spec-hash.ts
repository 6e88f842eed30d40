import { createHash } from 'node:crypto';
import type { V1Container } from '../../api/generated/types.js';

/** Changes when a container must be replaced: name and image, the fields that can be updated in a running pod. */
export function specHash(container: V1Container): string {
  return createHash('sha256').update(`${container.name}\0${container.image ?? ''}`).digest('hex').slice(0, 8);
}
