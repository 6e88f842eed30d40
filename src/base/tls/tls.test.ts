import { X509Certificate } from 'node:crypto';
import { FakeClock } from '../clock.js';
import { SeededRandom } from '../random.js';
import { createCertificateAuthority, issueCertificate, loadCertificateAuthority, signCsr } from './authority.js';
import { parseCertificate } from './certificate.js';
import { createCsr, parseCsr } from './csr.js';
import { CLIENT_AUTH } from './extensions.js';
import { generateEcKeyPair, generateRsaKeyPair } from './keys.js';
import { pemBlock, toPem } from './pem.js';

const environment = { clock: new FakeClock(), random: new SeededRandom(7) };
const authority = createCertificateAuthority({ commonName: 'kube-ca' }, environment);
const derOf = (pem: string): Buffer => pemBlock(pem, 'CERTIFICATE')!;

test('an issued certificate is understood by OpenSSL and verified by its authority', () => {
  const pair = issueCertificate(authority, {
    commonName: 'kube-apiserver', usages: ['server'], dnsNames: ['localhost', 'kubernetes.default.svc'], ipAddresses: ['127.0.0.1', '::1', '10.96.0.1'],
  });
  const x509 = new X509Certificate(pair.certificate);
  const ca = new X509Certificate(authority.certificate);
  expect(ca.ca).toBe(true);
  expect(x509.ca).toBe(false);
  expect(x509.checkIssued(ca)).toBe(true);
  expect(x509.verify(ca.publicKey)).toBe(true);
  expect(x509.checkHost('kubernetes.default.svc')).toBe('kubernetes.default.svc');
  expect(x509.checkIP('::1')).toBe('::1');
  expect(x509.checkIP('10.96.0.1')).toBe('10.96.0.1');
  expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(parseCertificate(derOf(pair.certificate)).isSignedBy(parseCertificate(derOf(authority.certificate)))).toBe(true);
});

test('names with characters that are special in RFC 4514 survive exactly', () => {
  const commonName = 'a "q", b=c+tr\\ail #04 ü';
  const pair = issueCertificate(authority, { commonName, organizations: ['system:nodes', 'x,y'], usages: ['client'] });
  const facts = parseCertificate(derOf(pair.certificate));
  expect(facts.subject).toEqual({ commonName, organizations: ['system:nodes', 'x,y'], uids: [] });
  expect(facts.extendedKeyUsages).toEqual([CLIENT_AUTH]);
  expect(facts.notAfter).toBe(environment.clock.now() + 365 * 86_400_000);
});

test('a leaf does not outlive its authority', () => {
  const short = createCertificateAuthority({ commonName: 'short', validityDays: 1 }, environment);
  const pair = issueCertificate(short, { commonName: 'x', usages: ['client'], validityDays: 30 });
  expect(parseCertificate(derOf(pair.certificate)).notAfter).toBe(short.notAfter);
});

test.each(['ec', 'rsa'])('a request with an %s key is verified and signed', async (type) => {
  const keys = type === 'ec' ? generateEcKeyPair() : await generateRsaKeyPair();
  const csr = createCsr(keys.privateKey, { commonName: 'system:node:n1', organizations: ['system:nodes'], dnsNames: ['n1'], ipAddresses: ['10.0.0.1'] });
  expect(parseCsr(csr)).toMatchObject({ commonName: 'system:node:n1', organizations: ['system:nodes'], dnsNames: ['n1'], ipAddresses: ['10.0.0.1'], uris: [], verified: true });
  const signed = signCsr(authority, csr, { usages: ['digital signature', 'server auth'], validitySeconds: 3600 });
  const x509 = new X509Certificate(signed);
  expect(x509.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(x509.publicKey.export({ type: 'spki', format: 'pem' })).toBe(keys.publicKey);
  expect(x509.subjectAltName).toBe('DNS:n1, IP Address:10.0.0.1');
});

test('a request whose content was changed is refused', () => {
  const csr = createCsr(generateEcKeyPair().privateKey, { commonName: 'mallory', organizations: [] });
  const bytes = pemBlock(csr, 'CERTIFICATE REQUEST')!;
  const at = bytes.indexOf('mallory');
  bytes.write('malLory', at);
  const tampered = toPem('CERTIFICATE REQUEST', bytes);
  expect(parseCsr(tampered).verified).toBe(false);
  expect(() => signCsr(authority, tampered, { usages: [], validitySeconds: 60 })).toThrow('does not verify');
});

test('an authority is loaded only with its own key', () => {
  expect(loadCertificateAuthority(authority, environment).subjectDer).toEqual(authority.subjectDer);
  const other = createCertificateAuthority({ commonName: 'other' }, environment);
  expect(() => loadCertificateAuthority({ certificate: authority.certificate, key: other.key }, environment)).toThrow('belong together');
  const leaf = issueCertificate(authority, { commonName: 'x', usages: ['client'] });
  expect(() => loadCertificateAuthority(leaf, environment)).toThrow('not that of an authority');
});

test('bytes that are no certificate give an error, not a crash', () => {
  const bytes = derOf(authority.certificate);
  for (let length = 0; length < bytes.length; length += 7) expect(() => parseCertificate(bytes.subarray(0, length))).toThrow('malformed');
  expect(() => parseCsr(authority.certificate)).toThrow('CERTIFICATE REQUEST');
});
