import { CONFIG_MAPS, NAMESPACES, SECRETS, SERVICE_ACCOUNTS } from '../../api/resource-refs.js';
import { generateEcKeyPair } from '../../base/tls/keys.js';
import { startControllers } from '../testing/test-context.js';
import { serviceAccountController } from './default-account.js';
import { rootCaPublisher } from './root-ca-publisher.js';
import { serviceAccountTokenController } from './token-secrets.js';

const namespace = (name: string, terminating = false) => ({
  metadata: { name, ...(terminating ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) }, spec: { finalizers: ['kubernetes'] }, status: { phase: terminating ? 'Terminating' : 'Active' },
});

test('every living namespace has its default account and root CA, also after somebody deletes or changes them', async () => {
  const { api, settle, stop } = await startControllers([serviceAccountController, rootCaPublisher], (fake) => {
    fake.seed(NAMESPACES, namespace('a'));
    fake.seed(NAMESPACES, namespace('dying', true));
  });
  api.seed(NAMESPACES, namespace('b'));
  await settle();
  const places = (): string[] => [...api.all(SERVICE_ACCOUNTS), ...api.all(CONFIG_MAPS)].map((object) => `${object.metadata?.namespace}/${object.metadata?.name}`).sort();
  const wanted = ['a/default', 'a/kube-root-ca.crt', 'b/default', 'b/kube-root-ca.crt'];
  expect(places()).toEqual(wanted);
  expect(api.find(CONFIG_MAPS, 'a', 'kube-root-ca.crt')).toMatchObject({ data: { 'ca.crt': 'ROOT CA' }, metadata: { annotations: { 'kubernetes.io/description': expect.stringMatching(/^Contains a CA bundle/) as string } } });
  await api.resource(SERVICE_ACCOUNTS).delete('a', 'default');
  await api.resource(CONFIG_MAPS).delete('b', 'kube-root-ca.crt');
  api.edit(CONFIG_MAPS, 'a', 'kube-root-ca.crt', () => ({ data: { 'ca.crt': 'forged', more: 'x' } }));
  await settle();
  expect(places()).toEqual(wanted);
  expect(api.find(CONFIG_MAPS, 'a', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'ROOT CA' });
  await stop();
});

test('a token secret is filled, and deleted with its account', async () => {
  const { api, settle, stop } = await startControllers([serviceAccountTokenController], (fake) => {
    fake.react = (action) => (action.subresource === 'token' ? { status: { token: 'abc' } } : undefined);
    fake.seed(SERVICE_ACCOUNTS, { metadata: { namespace: 'ns', name: 'robot', uid: 'robot-uid' } });
    fake.seed(SECRETS, { metadata: { namespace: 'ns', name: 's', annotations: { 'kubernetes.io/service-account.name': 'robot' } }, type: 'kubernetes.io/service-account-token' });
    fake.seed(SECRETS, { metadata: { namespace: 'ns', name: 'other' }, type: 'Opaque' });
  });
  expect(api.find(SECRETS, 'ns', 's')).toMatchObject({
    metadata: { annotations: { 'kubernetes.io/service-account.uid': 'robot-uid' } },
    data: { token: Buffer.from('abc').toString('base64'), namespace: Buffer.from('ns').toString('base64'), 'ca.crt': Buffer.from('ROOT CA').toString('base64') },
  });
  expect(api.actions.filter((action) => action.subresource === 'token')).toHaveLength(1);
  await api.resource(SERVICE_ACCOUNTS).delete('ns', 'robot');
  await settle();
  expect(api.all(SECRETS).map((secret) => secret.metadata?.name)).toEqual(['other']);
  await stop();
});

test('with a key, tokens in secrets never expire', async () => {
  const serviceAccountKey = generateEcKeyPair().privateKey;
  const { api, stop } = await startControllers([serviceAccountTokenController], (fake) => {
    fake.seed(SERVICE_ACCOUNTS, { metadata: { namespace: 'ns', name: 'robot', uid: 'robot-uid' } });
    fake.seed(SECRETS, { metadata: { namespace: 'ns', name: 's', annotations: { 'kubernetes.io/service-account.name': 'robot' } }, type: 'kubernetes.io/service-account-token' });
  }, { controllerOptions: { serviceAccountKey } });
  const token = Buffer.from(api.find(SECRETS, 'ns', 's')!.data!['token']!, 'base64').toString();
  expect(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())).toEqual({
    iss: 'kubernetes/serviceaccount', 'kubernetes.io/serviceaccount/namespace': 'ns', 'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'robot', 'kubernetes.io/serviceaccount/service-account.uid': 'robot-uid', sub: 'system:serviceaccount:ns:robot',
  });
  expect(api.actions.filter((action) => action.subresource === 'token')).toHaveLength(0);
  await stop();
});
