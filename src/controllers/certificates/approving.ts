import type { V1CertificateSigningRequest, V1SubjectAccessReview } from '../../api/generated/types.js';
import { CERTIFICATE_SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS } from '../../api/resource-refs.js';
import type { ControllerDescriptor } from '../controller.js';
import { newCondition, replaceCondition } from '../shared/conditions.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf } from '../shared/object-key.js';
import { KUBELET_CLIENT, kubeletClientRefusal, requestOf } from './signers.js';

/** Approves requests of node agents for their client certificates, when the asker is allowed to have one. */
export const csrApprovingController: ControllerDescriptor = {
  name: 'certificatesigningrequest-approving-controller',
  serviceAccount: 'certificate-controller',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'csr-approving');
    const requests = context.informers.informer(CERTIFICATE_SIGNING_REQUESTS);
    const client = context.client.resource(CERTIFICATE_SIGNING_REQUESTS);
    const enqueue = (object: V1CertificateSigningRequest): void => {
      if (object.spec?.signerName === KUBELET_CLIENT && (object.status?.conditions?.length ?? 0) === 0) queue.add(keyOf(object));
    };
    /** Own renewal first: the narrower right. */
    const rights = (own: boolean): readonly (readonly [subresource: string, message: string])[] => [
      ...(own ? [['selfnodeclient', 'Auto approving self kubelet client certificate after SubjectAccessReview.'] as const] : []),
      ['nodeclient', 'Auto approving kubelet client certificate after SubjectAccessReview.'],
    ];
    const allowed = async (object: V1CertificateSigningRequest, subresource: string): Promise<boolean> => {
      const { username = '', uid, groups, extra } = object.spec ?? {};
      const review: V1SubjectAccessReview = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: username, ...(uid ? { uid } : {}), ...(groups ? { groups } : {}), ...(extra ? { extra } : {}), resourceAttributes: { group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create', subresource, version: '*' } },
      };
      return (await context.client.resource(SUBJECT_ACCESS_REVIEWS).create(review)).status?.allowed ?? false;
    };
    return controllerLoop(context, queue, {
      name: 'csr-approving',
      informers: [requests],
      cleanup: [requests.addHandler({ add: enqueue, update: enqueue })],
      reconcile: async (name) => {
        const object = requests.get('', name);
        if (!object || (object.status?.conditions?.length ?? 0) > 0) return;
        const request = requestOf(object);
        if (!request || kubeletClientRefusal(request, object.spec?.usages ?? []) !== undefined) return;
        for (const [subresource, message] of rights(request.commonName === object.spec?.username)) {
          if (!(await allowed(object, subresource))) continue;
          const approved = newCondition('Approved', 'True', 'AutoApproved', message, context.clock.now());
          await client.updateSubresource('', name, 'approval', { ...object, status: { ...object.status, conditions: replaceCondition(object.status?.conditions, approved) } });
          return;
        }
      },
    });
  },
};
