import { defaultTokenRequest, validateTokenRequest } from '../../../api/authentication/token-request.js';
import type { AuthenticationV1TokenRequest, V1BoundObjectReference, V1Pod, V1Secret, V1ServiceAccount } from '../../../api/generated/types.js';
import { invalid } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { pathSegmentName } from '../../../api/meta/validation/names.js';
import { parseApiVersion, type KubeObject } from '../../../api/meta/object.js';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS, type ResourceRef } from '../../../api/resource-refs.js';
import { badRequestError, conflictError, invalidError, notFoundError } from '../../../api/status-error.js';
import { JwtSigner } from '../../../base/tls/jwt-signer.js';
import { boundTokenClaims } from '../../authn/service-account-claims.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { virtualHandler, type VirtualRequest } from '../virtual.js';

type TokenRequest = AuthenticationV1TokenRequest;

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
/** What pods ask for that want a token that is only warned about when it is old. */
const WARN_ONLY_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;

/** `serviceaccounts/token`: makes a token for a service account. */
export function tokenRequestHandler(context: ServerContext): CustomHandler {
  const signer = new JwtSigner(context.options.serviceAccountSigningKey);
  return virtualHandler<TokenRequest>(context, {
    path: '/serviceaccounts/token',
    kind: KIND,
    keepsSystemFields: true,
    defaults: defaultTokenRequest,
    run: async (call) => ({ object: await issue(context, signer, call) }),
  });
}

async function issue(context: ServerContext, signer: JwtSigner, { request, object, validate }: VirtualRequest<TokenRequest>): Promise<TokenRequest> {
  const { name, namespace } = request.info;
  const metadata = (object.metadata ??= {});
  if (metadata.name && metadata.name !== name) {
    throw invalidError(KIND, name, [invalid(FieldPath.of('metadata', 'name'), metadata.name, 'must match the service account name if specified')]);
  }
  const account = context.view.get(SERVICE_ACCOUNTS, namespace, name);
  if (!account) throw notFoundError(SERVICE_ACCOUNTS, name);
  const uid = account.metadata?.uid ?? '';
  if (metadata.uid && metadata.uid !== uid) {
    throw conflictError({ group: KIND.group, resource: KIND.kind }, name, `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`);
  }
  const now = context.clock.now();
  object.metadata = { name, namespace, uid, creationTimestamp: timestamp(now) };
  const spec = (object.spec ??= {});
  if (!spec.audiences?.length) spec.audiences = [...context.options.apiAudiences];
  delete object.status;
  const errors = validateTokenRequest(object as TokenRequest);
  if (errors.length > 0) throw invalidError(KIND, '', errors);
  await validate();

  const bound = boundObjects(context, account, spec.boundObjectRef);
  const seconds = spec.expirationSeconds ?? 3600;
  const isForUs = spec.audiences.every((audience) => context.options.apiAudiences.includes(audience));
  const extended = bound.pod !== undefined && seconds === WARN_ONLY_SECONDS && isForUs;
  const token = signer.sign(boundTokenClaims({
    issuer: context.options.serviceAccountIssuer,
    audiences: spec.audiences,
    issuedAt: Math.floor(now / 1000),
    expirationSeconds: extended ? EXTENDED_SECONDS : seconds,
    ...(extended ? { warnAfterSeconds: seconds } : {}),
    tokenId: context.random.uuid(),
    account,
    ...bound,
  }));
  // Upstream writes this field also when it is empty.
  const answered = { ...spec, boundObjectRef: spec.boundObjectRef ?? null };
  return { ...(object as TokenRequest), spec: answered as unknown as TokenRequest['spec'], status: { token, expirationTimestamp: timestamp(now + seconds * 1000) } };
}

interface BoundObjects {
  readonly pod?: V1Pod;
  readonly node?: KubeObject;
  readonly secret?: V1Secret;
}

/** What the token lives and dies with. */
function boundObjects(context: ServerContext, account: V1ServiceAccount, reference: V1BoundObjectReference | undefined): BoundObjects {
  if (!reference) return {};
  const { namespace = '', name: accountName = '' } = account.metadata ?? {};
  const name = reference.name ?? '';
  // As upstream, which takes a version that is none for the core group's.
  const gv = parseApiVersion(reference.apiVersion ?? '') ?? { group: '', version: '' };
  const find = <T extends KubeObject>(ref: ResourceRef<T>): T => {
    if (name === '') throw badRequestError('Name parameter required.');
    const wrong = pathSegmentName(name);
    if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${JSON.stringify(name)}: ${wrong.join(';')}`);
    const object = context.view.get(ref, ref.namespaced ? namespace : '', name);
    if (!object) throw notFoundError(ref, name);
    return object;
  };
  const sameUid = <T extends KubeObject>(object: T): T => {
    if (reference.uid && reference.uid !== object.metadata?.uid) {
      throw conflictError({ group: '', resource: reference.kind ?? '' }, name, `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`);
    }
    return object;
  };
  switch (gv.group === '' ? reference.kind : undefined) {
    case 'Pod': {
      const pod = find(PODS);
      if (pod.spec?.serviceAccountName !== accountName) {
        throw badRequestError(`cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`);
      }
      sameUid(pod);
      const nodeName = pod.spec.nodeName;
      return { pod, ...(nodeName ? { node: context.view.get(NODES, '', nodeName) ?? { metadata: { name: nodeName } } } : {}) };
    }
    case 'Node':
      return { node: sameUid(find(NODES)) };
    case 'Secret':
      return { secret: sameUid(find(SECRETS)) };
    default:
      throw badRequestError(`cannot bind token to object of type ${gv.group}/${gv.version}, Kind=${reference.kind ?? ''}`);
  }
}
