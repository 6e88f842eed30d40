import type { V1CertificateSigningRequest } from '../../api/generated/types.js';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { parseCertificate } from '../../base/tls/certificate.js';
import { pemBlock } from '../../base/tls/pem.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf } from '../shared/object-key.js';
import { parseTimestamp } from '../../api/meta/timestamp.js';

const HOUR = 3_600_000;
/** Upstream's ages: answered requests live an hour, pending ones a day. */
const ANSWERED_LIFE = HOUR;
const PENDING_LIFE = 24 * HOUR;

/** When a request is of no more use, in milliseconds. */
export function cleanupTime(object: V1CertificateSigningRequest): number {
  const created = parseTimestamp(object.metadata?.creationTimestamp) ?? 0;
  const conditions = object.status?.conditions ?? [];
  const since = (types: readonly string[]): number | undefined => {
    const condition = conditions.find((entry) => types.includes(entry.type));
    return condition ? (parseTimestamp(condition.lastUpdateTime) ?? parseTimestamp(condition.lastTransitionTime) ?? created) : undefined;
  };
  const refused = since(['Denied', 'Failed']);
  if (refused !== undefined) return refused + ANSWERED_LIFE;
  const approved = since(['Approved']);
  if (approved === undefined) return created + PENDING_LIFE;
  if (!object.status?.certificate) return approved + PENDING_LIFE;
  const der = pemBlock(Buffer.from(object.status.certificate, 'base64').toString(), 'CERTIFICATE');
  const expires = der ? parseCertificate(der).notAfter : Infinity;
  return Math.min(approved + ANSWERED_LIFE, expires);
}

/** Removes certificate requests that nobody needs any more. */
export const csrCleanerController: ControllerDescriptor = {
  name: 'certificatesigningrequest-cleaner-controller',
  serviceAccount: 'certificate-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'csr-cleaner');
    const requests = context.informers.informer(CERTIFICATE_SIGNING_REQUESTS);
    const enqueue = (object: V1CertificateSigningRequest): void => queue.add(keyOf(object));
    return controllerLoop(context, queue, {
      name: 'csr-cleaner',
      workers: 1,
      informers: [requests],
      cleanup: [requests.addHandler({ add: enqueue, update: enqueue })],
      reconcile: async (name) => {
        const object = requests.get('', name);
        if (!object) return undefined;
        const left = cleanupTime(object) - context.clock.now();
        if (left > 0) return { requeueAfterMilliseconds: left };
        await context.client.resource(CERTIFICATE_SIGNING_REQUESTS).delete('', name).catch((error: unknown) => {
          if (!StatusError.is(error, 'NotFound')) throw error;
        });
        return undefined;
      },
    });
  },
};
