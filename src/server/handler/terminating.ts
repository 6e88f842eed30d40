import type { ServedResource } from '../../api/scheme/scheme.js';
import { forbiddenError } from '../../api/status-error.js';

/** Refuses a new object of a custom resource whose definition is being deleted. Asked where admission begins. */
export function checkNotTerminating({ terminating, groupResource }: ServedResource, name: string): void {
  if (terminating) throw forbiddenError(groupResource, name, 'create not allowed while custom resource definition is terminating');
}
