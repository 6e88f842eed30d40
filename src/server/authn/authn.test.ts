import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createCertificateAuthority, issueCertificate } from '../../base/tls/authority.js';
import { generateEcKeyPair, generateRsaKeyPair } from '../../base/tls/keys.js';
import { pemBlock } from '../../base/tls/pem.js';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../api/resource-refs.js';
import { FakeView } from '../testing/fake-view.js';
import { BearerAuthenticator, TokenUnion } from './bearer.js';
import { BootstrapTokenAuthenticator } from './bootstrap-token.js';
import { ClientCertificateVerifier } from './certificate-verifier.js';
import { ClientCertificateAuthenticator } from './client-certificate.js';
import { JwtSigner } from '../../base/tls/jwt-signer.js';
import { JwtKeys } from './jwt.js';
import { boundTokenClaims, legacyTokenClaims } from './service-account-claims.js';
import { ServiceAccountTokenAuthenticator } from './service-account-token.js';
import { StaticTokenAuthenticator } from './static-token.js';
import { UnionAuthenticator } from './union.js';
import { simpleUser } from './users.js';

const ISSUER = 'https://issuer';
const AUDIENCES = ['https://issuer'];
const account = { metadata: { namespace: 'ns', name: 'robot', uid: 'u1' } };

function setup(pem: string) {
  const clock = new FakeClock();
  const view = new FakeView().put(SERVICE_ACCOUNTS, account);
  const keys = new JwtKeys([pem]);
  const tokens = new ServiceAccountTokenAuthenticator({ issuer: ISSUER, keys, apiAudiences: AUDIENCES, view, clock });
  const signer = new JwtSigner(pem);
  const content = () => ({ issuer: ISSUER, audiences: AUDIENCES, issuedAt: clock.now() / 1000, expirationSeconds: 600, tokenId: 'jti-1', account });
  return { clock, view, keys, tokens, signer, content };
}

test.each([['ES256', generateEcKeyPair], ['RS256', generateRsaKeyPair]] as const)('%s tokens of service accounts', async (algorithm, generate) => {
  const { clock, tokens, signer, content, keys } = setup((await generate()).privateKey);
  const token = signer.sign(boundTokenClaims(content()));
  expect(keys.algorithms()).toEqual([algorithm]);
  expect(tokens.authenticateToken(token, AUDIENCES)).toEqual({
    user: {
      name: 'system:serviceaccount:ns:robot', uid: 'u1', groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=jti-1'] },
    },
    audiences: AUDIENCES,
  });
  expect(() => tokens.authenticateToken(token, ['other'])).toThrow('token audiences ["https://issuer"] is invalid for the target audiences ["other"]');
  const [head, body, signature] = token.split('.') as [string, string, string];
  const forged = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'x' })).toString('base64url');
  expect(() => tokens.authenticateToken(`${head}.${forged}.${signature}`, AUDIENCES)).toThrow('error in cryptographic primitive');
  await clock.advance(600_000 + 61_000);
  expect(() => tokens.authenticateToken(token, AUDIENCES)).toThrow('expired');
});

test('a token dies with what it is bound to', () => {
  const { view, tokens, signer, content } = setup(generateEcKeyPair().privateKey);
  const pod = { metadata: { namespace: 'ns', name: 'p', uid: 'p1' }, spec: { containers: [] } };
  const node = { metadata: { name: 'n', uid: 'n1' } };
  view.put(PODS, pod).put(NODES, node);
  const token = signer.sign(boundTokenClaims({ ...content(), pod, node }));
  expect(tokens.authenticateToken(token, AUDIENCES)?.user.extra).toMatchObject({
    'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/pod-uid': ['p1'],
    'authentication.kubernetes.io/node-name': ['n'], 'authentication.kubernetes.io/node-uid': ['n1'],
  });
  view.remove(NODES, '', 'n');
  expect(tokens.authenticateToken(token, AUDIENCES)).toBeDefined();
  view.put(PODS, { ...pod, metadata: { ...pod.metadata, uid: 'p2' } });
  expect(() => tokens.authenticateToken(token, AUDIENCES)).toThrow('pod UID (p2) does not match service account pod ref claim (p1)');
  view.remove(PODS, 'ns', 'p');
  expect(() => tokens.authenticateToken(token, AUDIENCES)).toThrow('service account token has been invalidated');
});

test('a token in a secret holds only while the secret holds it', () => {
  const environment = setup(generateEcKeyPair().privateKey);
  const { view, tokens, signer } = environment;
  const secret = { metadata: { namespace: 'ns', name: 's' }, type: 'kubernetes.io/service-account-token' };
  const token = signer.sign(legacyTokenClaims(account, secret));
  expect(() => tokens.authenticateToken(token, AUDIENCES)).toThrow('invalidated');
  view.put(SECRETS, { ...secret, data: { token: Buffer.from(token).toString('base64') } });
  expect(tokens.authenticateToken(token, AUDIENCES)?.user.name).toBe('system:serviceaccount:ns:robot');
  const { clock, keys } = environment;
  const used: string[] = [];
  const noting = new ServiceAccountTokenAuthenticator({ issuer: ISSUER, keys, apiAudiences: AUDIENCES, view, clock, legacyUsed: ({ metadata }) => void used.push(metadata!.name!) });
  noting.authenticateToken(token, AUDIENCES);
  expect(used).toEqual(['s']);
  view.put(SECRETS, { ...secret, data: { token: Buffer.from('other').toString('base64') } });
  expect(() => tokens.authenticateToken(token, AUDIENCES)).toThrow("does not match server's copy");
});

test('the algorithm of a token is the choice of the key, and foreign keys do not count', () => {
  const { tokens, content } = setup(generateEcKeyPair().privateKey);
  const other = new JwtSigner(generateEcKeyPair().privateKey);
  expect(() => tokens.authenticateToken(other.sign(boundTokenClaims(content())), AUDIENCES)).toThrow('error in cryptographic primitive');
  const claims = Buffer.from(JSON.stringify(boundTokenClaims(content()))).toString('base64url');
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.AA`;
  expect(() => tokens.authenticateToken(none, AUDIENCES)).toThrow('error in cryptographic primitive');
  expect(tokens.authenticateToken('abc', AUDIENCES)).toBeUndefined();
});

test('client certificates: authority, usage, time', async () => {
  const clock = new FakeClock();
  const environment = { clock, random: new SeededRandom() };
  const authority = createCertificateAuthority({ commonName: 'ca' }, environment);
  const stranger = createCertificateAuthority({ commonName: 'ca' }, environment);
  const x509 = new ClientCertificateAuthenticator(new ClientCertificateVerifier(authority.certificate, clock));
  const send = (pem: string) => x509.authenticate({ headers: {}, clientCertificate: pemBlock(pem, 'CERTIFICATE')! });
  const good = issueCertificate(authority, { commonName: 'jane', organizations: ['dev', 'ops'], usages: ['client'], validityDays: 1 });
  expect(send(good.certificate)).toMatchObject({ name: 'jane', groups: ['dev', 'ops'] });
  const usage = issueCertificate(authority, { commonName: 'jane', usages: ['server'] });
  expect(() => send(usage.certificate)).toThrow('Unauthorized');
  expect(() => send(issueCertificate(stranger, { commonName: 'jane', usages: ['client'] }).certificate)).toThrow('Unauthorized');
  await clock.advance(86_400_001);
  expect(() => send(good.certificate)).toThrow('Unauthorized');
  expect(x509.authenticate({ headers: {} })).toBeUndefined();
});

test('the union: anonymous without proof, 401 with a wrong one, groups added', async () => {
  const admin = simpleUser('admin', ['system:masters']);
  const bearer = new BearerAuthenticator(new TokenUnion([new StaticTokenAuthenticator(new Map([['secret', admin]]), AUDIENCES)]), AUDIENCES, silentLogger);
  const union = new UnionAuthenticator([bearer], true);
  expect(await union.authenticate({ headers: {} })).toMatchObject({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  expect(await union.authenticate({ headers: { authorization: 'Bearer secret' } })).toMatchObject({ name: 'admin', groups: ['system:masters', 'system:authenticated'] });
  await expect(union.authenticate({ headers: { authorization: 'Bearer wrong' } })).rejects.toMatchObject({ code: 401 });
  await expect(union.authenticate({ headers: {}, bearerToken: 'wrong' })).rejects.toMatchObject({ code: 401 });
  expect(await new UnionAuthenticator([bearer], false).authenticate({ headers: { authorization: 'Basic x' } })).toBeUndefined();
});

test('bootstrap tokens', async () => {
  const clock = new FakeClock();
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const secret = (data: Record<string, string>) => ({
    metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries({ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', ...data }).map(([key, value]) => [key, encode(value)])),
  });
  const view = new FakeView();
  const tokens = new BootstrapTokenAuthenticator(view, clock, AUDIENCES, silentLogger);
  const ask = () => tokens.authenticateToken('abcdef.0123456789abcdef', AUDIENCES);
  expect(ask()).toBeUndefined();
  view.put(SECRETS, secret({}));
  expect(ask()).toBeUndefined();
  view.put(SECRETS, secret({ 'usage-bootstrap-authentication': 'true', 'auth-extra-groups': 'system:bootstrappers:workers', expiration: new Date(clock.now() + 1000).toISOString() }));
  expect(ask()?.user).toMatchObject({ name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:bootstrappers:workers'] });
  await clock.advance(2000);
  expect(ask()).toBeUndefined();
});
