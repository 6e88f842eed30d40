import type { V1CertificateSigningRequest } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { errorMessage } from '../../base/errors.js';
import { parseCsr } from '../../base/tls/csr.js';
import { MASTERS } from '../authn/users.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

const GROUP = 'certificates.k8s.io';
const RESOURCE = 'certificatesigningrequests';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

/** Whether a user may approve or sign for a signer, by its whole name or all of its domain. */
async function mayFor(context: ServerContext, a: AdmissionAttributes, verb: 'approve' | 'sign', signerName: string): Promise<boolean> {
  const ask = async (name: string): Promise<boolean> => {
    const attributes = { user: a.user, verb, isResourceRequest: true, namespace: '', group: GROUP, version: '*', resource: 'signers', subresource: '', name, path: '' };
    return (await context.authorize(attributes)).decision === 'allow';
  };
  return (await ask(signerName)) || ask(`${signerName.split('/')[0]!}/*`);
}

/** Approving needs permission for the signer. */
export class CertificateApproval implements AdmissionPlugin {
  readonly name = 'CertificateApproval';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'UPDATE';
  }

  async validate(a: AdmissionAttributes): Promise<void> {
    if (!concerns(a, GROUP, RESOURCE, 'approval')) return;
    const { signerName } = (a.oldObject as V1CertificateSigningRequest).spec;
    if (!(await mayFor(this.context, a, 'approve', signerName))) throw refusal(a, `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`);
  }
}

/** Putting a certificate or a condition into the status needs permission for the signer. */
export class CertificateSigning implements AdmissionPlugin {
  readonly name = 'CertificateSigning';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'UPDATE';
  }

  async validate(a: AdmissionAttributes): Promise<void> {
    if (!concerns(a, GROUP, RESOURCE, 'status')) return;
    const before = a.oldObject as V1CertificateSigningRequest;
    const after = a.object as V1CertificateSigningRequest;
    if (before.status?.certificate === after.status?.certificate && deepEqual(before.status?.conditions, after.status?.conditions)) return;
    const { signerName } = before.spec;
    if (!(await mayFor(this.context, a, 'sign', signerName))) throw refusal(a, `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`);
  }
}

/** Nobody becomes superuser by a certificate request. */
export class CertificateSubjectRestriction implements AdmissionPlugin {
  readonly name = 'CertificateSubjectRestriction';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, GROUP, RESOURCE)) return;
    const { signerName, request } = (a.object as V1CertificateSigningRequest).spec;
    if (signerName !== CLIENT_SIGNER) return;
    let organizations: readonly string[];
    try {
      organizations = parseCsr(Buffer.from(request, 'base64').toString('utf8')).organizations;
    } catch (error) {
      throw refusal(a, `failed to parse CSR: ${errorMessage(error)}`);
    }
    if (organizations.includes(MASTERS)) throw refusal(a, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
  }
}
