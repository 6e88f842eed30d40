import type { V1Secret, V1ServiceAccount } from '../../api/generated/types.js';
import { SECRETS, SERVICE_ACCOUNTS } from '../../api/resource-refs.js';
import { JwtSigner } from '../../base/tls/jwt-signer.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { keyOf, splitKey } from '../shared/object-key.js';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
/** Ten years, where there is no key to sign with: such secrets are for those who want a token that lasts. */
const EXPIRATION_SECONDS = 10 * 365 * 24 * 3600;

/**
 * Fills secrets of the type `kubernetes.io/service-account-token` that users create: a token of the named account (deleting the secret
 * revokes it), the CA and the namespace. Deletes them when the account is gone. No such secret is made by itself.
 */
export const serviceAccountTokenController: ControllerDescriptor = {
  name: 'serviceaccount-token-controller',
  serviceAccount: '',
  enabledByDefault: true,
  start: (context) => {
    const queue = controllerQueue(context, 'serviceaccount_tokens');
    const secrets = context.informers.informer(SECRETS, { fieldSelector: `type=${TYPE}` });
    const accounts = context.informers.informer(SERVICE_ACCOUNTS);
    const secretClient = context.client.resource(SECRETS);
    const accountClient = context.client.resource(SERVICE_ACCOUNTS);
    const key = context.options.serviceAccountKey;
    const signer = key === undefined ? undefined : new JwtSigner(key);
    const enqueue = (secret: V1Secret): void => {
      if (secret.type === TYPE) queue.add(keyOf(secret));
    };
    const cleanup = [
      secrets.addHandler({ add: enqueue, update: enqueue }),
      accounts.addHandler({
        delete: (account) => {
          for (const secret of secrets.list(account.metadata?.namespace ?? '')) if (secret.metadata?.annotations?.[ACCOUNT_NAME] === account.metadata?.name) enqueue(secret);
        },
      }),
    ];

    const accountOf = async (namespace: string, name: string): Promise<V1ServiceAccount | undefined> => {
      try {
        return accounts.get(namespace, name) ?? (await accountClient.get(namespace, name));
      } catch (error) {
        if (StatusError.is(error, 'NotFound')) return undefined;
        throw error;
      }
    };
    const reconcile = async (key: string): Promise<void> => {
      const { namespace, name } = splitKey(key);
      const secret = secrets.get(namespace, name);
      const accountName = secret?.metadata?.annotations?.[ACCOUNT_NAME];
      if (!secret || secret.metadata?.deletionTimestamp || !accountName) return;
      const account = await accountOf(namespace, accountName);
      const boundTo = secret.metadata?.annotations?.[ACCOUNT_UID];
      if (!account || (boundTo !== undefined && boundTo !== account.metadata?.uid)) {
        await secretClient.delete(namespace, name, secret.metadata?.uid ? { preconditions: { uid: secret.metadata.uid } } : {}).catch(ignoreGone);
        return;
      }
      const wanted = { 'ca.crt': base64(context.options.rootCa), namespace: base64(namespace) };
      const complete = boundTo !== undefined && secret.data?.['token'] && Object.entries(wanted).every(([field, value]) => secret.data?.[field] === value);
      if (complete) return;
      const token = secret.data?.['token'] ?? (signer ? base64(signer.sign(claimsOf(account, name))) : await requestToken(secret, accountName));
      await secretClient.update({
        ...secret,
        metadata: { ...secret.metadata, annotations: { ...secret.metadata?.annotations, [ACCOUNT_UID]: account.metadata?.uid ?? '' } },
        data: { ...secret.data, ...wanted, token },
      });
    };
    const requestToken = async (secret: V1Secret, account: string): Promise<string> => {
      const { namespace = '', name = '', uid = '' } = secret.metadata ?? {};
      const request = await accountClient.createSubresource<{ status?: { token?: string } }>(namespace, account, 'token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [], expirationSeconds: EXPIRATION_SECONDS, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid } },
      });
      return base64(request.status?.token ?? '');
    };
    return controllerLoop(context, queue, { name: 'serviceaccount_tokens', informers: [secrets, accounts], cleanup, reconcile });
  },
};

const CLAIM = 'kubernetes.io/serviceaccount/';

/** What upstream's tokens in secrets say: they hold for as long as the secret holds them. */
function claimsOf(account: V1ServiceAccount, secretName: string): Readonly<Record<string, string>> {
  const { namespace = '', name = '', uid = '' } = account.metadata ?? {};
  return {
    iss: 'kubernetes/serviceaccount',
    [`${CLAIM}namespace`]: namespace,
    [`${CLAIM}secret.name`]: secretName,
    [`${CLAIM}service-account.name`]: name,
    [`${CLAIM}service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

function ignoreGone(error: unknown): void {
  if (!StatusError.is(error, 'NotFound') && !StatusError.is(error, 'Conflict')) throw error;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
