import { errorMessage } from '../base/errors.js';
import { LEASES, NODES } from '../api/resource-refs.js';
import { StatusError } from '../api/status-error.js';
import type { InProcessIdentities } from './identities.js';

const PROBE = { apiVersion: 'coordination.k8s.io/v1' as const, kind: 'Lease' as const, metadata: { name: 'kube-start-probe', namespace: 'kube-system' } };

/**
 * Why roles do not come up, as far as the API says: what refuses the reads of the roles (settings of access), or anybody's writes
 * (admission webhooks). Undefined when it refuses neither.
 */
export async function whatHinders(identities: InProcessIdentities): Promise<string | undefined> {
  const probes = [
    () => identities.controllerManager.resource(NODES).list('', { limit: 1 }),
    () => identities.scheduler.resource(NODES).list('', { limit: 1 }),
    () => identities.admin.resource(LEASES).create(PROBE, { dryRun: true }),
  ];
  for (const probe of probes) {
    try {
      await probe();
    } catch (error) {
      // Webhooks that do not take part in dry runs do not tell what they would do.
      if (!StatusError.is(error, 'BadRequest')) return errorMessage(error);
    }
  }
  return undefined;
}
