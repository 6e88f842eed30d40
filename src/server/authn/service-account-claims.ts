import type { V1Secret, V1ServiceAccount } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { EXTRA, serviceAccountGroups, serviceAccountUserName } from './users.js';
import type { UserInfo } from './authenticator.js';
import type { JwtClaims } from './jwt.js';

/** Name and uid of an object that a token speaks of. */
export interface ClaimReference {
  readonly name: string;
  readonly uid: string;
}

/** The claims under `kubernetes.io` of a token made by TokenRequest. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceAccount: ClaimReference;
  readonly pod?: ClaimReference;
  readonly node?: ClaimReference;
  readonly secret?: ClaimReference;
}

/** The claims of a token that a Secret of type `kubernetes.io/service-account-token` holds. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccount: ClaimReference;
}

/** What a new token is to say. Times in seconds. */
export interface TokenContent {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expirationSeconds: number;
  /** When set: seconds until use of the token should be warned about. */
  readonly warnAfterSeconds?: number;
  readonly tokenId: string;
  readonly account: V1ServiceAccount;
  readonly pod?: KubeObject;
  readonly node?: KubeObject;
  readonly secret?: V1Secret;
}

const LEGACY = 'kubernetes.io/serviceaccount/';

const referenceTo = (object: KubeObject): ClaimReference => ({ name: object.metadata?.name ?? '', uid: object.metadata?.uid ?? '' });

/** A pod may be bound to a node that is not there. */
const nodeReference = (node: KubeObject): Partial<ClaimReference> => ({ name: node.metadata?.name ?? '', ...(node.metadata?.uid ? { uid: node.metadata.uid } : {}) });

/** Claims of a bound token. */
export function boundTokenClaims(content: TokenContent): JwtClaims {
  const namespace = content.account.metadata?.namespace ?? '';
  return {
    aud: content.audiences,
    exp: content.issuedAt + content.expirationSeconds,
    iat: content.issuedAt,
    iss: content.issuer,
    jti: content.tokenId,
    'kubernetes.io': {
      namespace,
      ...(content.node ? { node: nodeReference(content.node) } : {}),
      ...(content.pod ? { pod: referenceTo(content.pod) } : {}),
      ...(content.secret ? { secret: referenceTo(content.secret) } : {}),
      serviceaccount: referenceTo(content.account),
      ...(content.warnAfterSeconds === undefined ? {} : { warnafter: content.issuedAt + content.warnAfterSeconds }),
    },
    nbf: content.issuedAt,
    sub: serviceAccountUserName(namespace, content.account.metadata?.name ?? ''),
  };
}

/** Claims of a token that lives in a Secret and never expires. */
export function legacyTokenClaims(account: V1ServiceAccount, secret: V1Secret): JwtClaims {
  const { namespace = '', name = '', uid = '' } = account.metadata ?? {};
  return {
    iss: LEGACY_ISSUER,
    [`${LEGACY}namespace`]: namespace,
    [`${LEGACY}secret.name`]: secret.metadata?.name ?? '',
    [`${LEGACY}service-account.name`]: name,
    [`${LEGACY}service-account.uid`]: uid,
    sub: serviceAccountUserName(namespace, name),
  };
}

/** Issuer of tokens in Secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function reference(value: unknown): ClaimReference | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  return { name: text(fields['name']), uid: text(fields['uid']) };
}

/** Reads the private claims of a bound token. */
export function readBoundClaims(claims: JwtClaims): BoundClaims {
  const raw = claims['kubernetes.io'];
  const fields = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const [pod, node, secret] = [fields['pod'], fields['node'], fields['secret']].map(reference);
  return {
    namespace: text(fields['namespace']),
    serviceAccount: reference(fields['serviceaccount']) ?? { name: '', uid: '' },
    ...(pod ? { pod } : {}),
    ...(node ? { node } : {}),
    ...(secret ? { secret } : {}),
  };
}

/** Reads the private claims of a token from a Secret. */
export function readLegacyClaims(claims: JwtClaims): LegacyClaims {
  const claim = (name: string): string => text(claims[LEGACY + name]);
  return {
    namespace: claim('namespace'),
    secretName: claim('secret.name'),
    serviceAccount: { name: claim('service-account.name'), uid: claim('service-account.uid') },
  };
}

/** `aud` as a list; empty when absent. */
export function readAudiences(claims: JwtClaims): readonly string[] {
  const audience = claims['aud'];
  if (typeof audience === 'string') return [audience];
  return Array.isArray(audience) ? audience.filter((item): item is string => typeof item === 'string') : [];
}

/** The user that a service-account token stands for. */
export function serviceAccountUser(claims: BoundClaims | LegacyClaims, tokenId: string): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  const pod = 'pod' in claims ? claims.pod : undefined;
  const node = 'node' in claims ? claims.node : undefined;
  if (pod && pod.name !== '' && pod.uid !== '') {
    extra[EXTRA.podName] = [pod.name];
    extra[EXTRA.podUid] = [pod.uid];
  }
  if (tokenId !== '') extra[EXTRA.credentialId] = [`JTI=${tokenId}`];
  if (node && node.name !== '') {
    extra[EXTRA.nodeName] = [node.name];
    if (node.uid !== '') extra[EXTRA.nodeUid] = [node.uid];
  }
  return {
    name: serviceAccountUserName(claims.namespace, claims.serviceAccount.name),
    uid: claims.serviceAccount.uid,
    groups: serviceAccountGroups(claims.namespace),
    extra,
  };
}
