import type { V1CertificateSigningRequest } from '../../api/generated/types.js';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../api/resource-refs.js';
import { loadCertificateAuthority, signCsr } from '../../base/tls/authority.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf } from '../shared/object-key.js';
import { newCondition, replaceCondition } from '../shared/conditions.js';
import { KUBE_APISERVER_CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY_UNKNOWN, refusal, requestOf } from './signers.js';

const SIGNERS = [KUBE_APISERVER_CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY_UNKNOWN];
/** Upstream's `--cluster-signing-duration`. */
const DEFAULT_SECONDS = 365 * 86_400;
const SHORTEST_SECONDS = 600;

function has(object: V1CertificateSigningRequest, type: string): boolean {
  return object.status?.conditions?.some((condition) => condition.type === type) ?? false;
}

/** Signs approved requests for the built-in signers with the cluster's authority. */
export const csrSigningController: ControllerDescriptor = {
  name: 'certificatesigningrequest-signing-controller',
  serviceAccount: 'certificate-controller',
  enabledByDefault: true,
  start: (context) => {
    const { clusterSigningCertificate: certificate, clusterSigningKey: key } = context.options;
    const queue = controllerQueue(context, 'csr-signing');
    const requests = context.informers.informer(CERTIFICATE_SIGNING_REQUESTS);
    const client = context.client.resource(CERTIFICATE_SIGNING_REQUESTS);
    const authority = certificate && key ? loadCertificateAuthority({ certificate, key }, context) : undefined;
    if (!authority) context.log.warn('there is no key to sign certificate requests with: they stay unsigned');
    const enqueue = (object: V1CertificateSigningRequest): void => {
      if (authority && SIGNERS.includes(object.spec?.signerName ?? '') && has(object, 'Approved') && !has(object, 'Denied') && !has(object, 'Failed') && !object.status?.certificate) queue.add(keyOf(object));
    };
    return controllerLoop(context, queue, {
      name: 'csr-signing',
      informers: [requests],
      cleanup: [requests.addHandler({ add: enqueue, update: enqueue })],
      reconcile: async (name) => {
        const object = requests.get('', name);
        if (!object || !authority || object.status?.certificate || !has(object, 'Approved') || has(object, 'Failed')) return;
        const request = requestOf(object);
        const usages = object.spec?.usages ?? [];
        const why = request ? refusal(object.spec?.signerName ?? '', request, usages) : 'the request is not a PEM certificate request';
        if (why !== undefined) {
          // Requests of the legacy signer carry no promise; upstream fails only those of the named ones.
          const failed = newCondition('Failed', 'True', 'SignerValidationFailure', why, context.clock.now());
          await client.updateStatus({ ...object, status: { ...object.status, conditions: replaceCondition(object.status?.conditions, failed) } });
          return;
        }
        const seconds = Math.max(SHORTEST_SECONDS, Math.min(object.spec?.expirationSeconds ?? DEFAULT_SECONDS, DEFAULT_SECONDS));
        const signed = signCsr(authority, Buffer.from(object.spec?.request ?? '', 'base64').toString(), { usages, validitySeconds: seconds });
        await client.updateStatus({ ...object, status: { ...object.status, certificate: Buffer.from(signed).toString('base64') } });
      },
    });
  },
};
