import { CERTIFICATE_SIGNING_REQUESTS } from '../../api/resource-refs.js';
import { FakeClock } from '../../base/clock.js';
import { SeededRandom } from '../../base/random.js';
import { createCertificateAuthority } from '../../base/tls/authority.js';
import { parseCertificate } from '../../base/tls/certificate.js';
import { createCsr } from '../../base/tls/csr.js';
import { generateEcKeyPair } from '../../base/tls/keys.js';
import { pemBlock } from '../../base/tls/pem.js';
import { startControllers } from '../testing/test-context.js';
import { csrApprovingController } from './approving.js';
import { cleanupTime } from './cleaner.js';
import { csrSigningController } from './signing.js';

const clock = new FakeClock();
const authority = createCertificateAuthority({ commonName: 'test' }, { clock, random: new SeededRandom() });
const signing = { clusterSigningCertificate: authority.certificate, clusterSigningKey: authority.key };

const csr = (name: string, signerName: string, commonName: string, organizations: string[], usages = ['digital signature', 'client auth']) => ({
  apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name },
  spec: { signerName, usages, username: commonName, request: Buffer.from(createCsr(generateEcKeyPair().privateKey, { commonName, organizations })).toString('base64') },
});
const approved = { conditions: [{ type: 'Approved', status: 'True' }] };

test('an approved request is signed; one that breaks its signer\'s rules fails', async () => {
  const harness = await startControllers([csrSigningController], (api) => {
    api.seed(CERTIFICATE_SIGNING_REQUESTS, { ...csr('good', 'kubernetes.io/kube-apiserver-client', 'ann', ['team']), status: approved });
    api.seed(CERTIFICATE_SIGNING_REQUESTS, { ...csr('bad', 'kubernetes.io/kube-apiserver-client-kubelet', 'ann', ['team']), status: approved });
    api.seed(CERTIFICATE_SIGNING_REQUESTS, { ...csr('foreign', 'a.example/b', 'ann', []), status: approved });
    api.seed(CERTIFICATE_SIGNING_REQUESTS, csr('waiting', 'kubernetes.io/kube-apiserver-client', 'ann', []));
  }, { clock, controllerOptions: signing });
  const status = (name: string) => harness.api.find(CERTIFICATE_SIGNING_REQUESTS, '', name)?.status;
  const certificate = parseCertificate(pemBlock(Buffer.from(status('good')!.certificate!, 'base64').toString(), 'CERTIFICATE')!);
  expect(certificate.subject).toMatchObject({ commonName: 'ann', organizations: ['team'] });
  expect(certificate.isSignedBy(parseCertificate(pemBlock(authority.certificate, 'CERTIFICATE')!))).toBe(true);
  expect(status('bad')?.conditions).toContainEqual(expect.objectContaining({ type: 'Failed', reason: 'SignerValidationFailure', message: 'subject organization is not system:nodes' }));
  expect(status('foreign')?.certificate).toBeUndefined();
  expect(status('waiting')?.certificate).toBeUndefined();
  await harness.stop();
});

test('a node that may have a client certificate is approved without asking anybody', async () => {
  const harness = await startControllers([csrApprovingController], (api) => {
    api.react = (action) => (action.resource === 'subjectaccessreviews' ? { status: { allowed: true } } : undefined);
    api.seed(CERTIFICATE_SIGNING_REQUESTS, csr('node', 'kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n', ['system:nodes']));
    api.seed(CERTIFICATE_SIGNING_REQUESTS, csr('person', 'kubernetes.io/kube-apiserver-client-kubelet', 'ann', ['system:nodes']));
  });
  const approvals = harness.api.actions.filter((action) => action.subresource === 'approval').map((action) => action.name);
  expect(approvals).toEqual(['node']);
  await harness.stop();
});

test('requests go an hour after their answer, or a day without one', () => {
  const created = '2026-01-01T00:00:00Z';
  const at = Date.parse(created);
  expect(cleanupTime({ metadata: { creationTimestamp: created }, spec: { request: '', signerName: '' } })).toBe(at + 86_400_000);
  expect(cleanupTime({ metadata: { creationTimestamp: created }, spec: { request: '', signerName: '' }, status: { conditions: [{ type: 'Denied', status: 'True', lastUpdateTime: created }] } })).toBe(at + 3_600_000);
});
