import { timingSafeEqual } from 'node:crypto';
import type { V1Secret } from '../../api/generated/types.js';
import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS, type ResourceRef } from '../../api/resource-refs.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { Clock } from '../../base/clock.js';
import type { ClusterView } from '../registry/cluster-view.js';
import { decodeJwt, type DecodedJwt, type JwtClaims, type JwtKeys } from './jwt.js';
import { LEGACY_ISSUER, readAudiences, readBoundClaims, readLegacyClaims, serviceAccountUser, type ClaimReference } from './service-account-claims.js';
import { parseServiceAccountUserName } from './users.js';
import { TokenError, type TokenAuthenticator, type TokenIdentity } from './token.js';

export interface ServiceAccountTokenOptions {
  readonly issuer: string;
  readonly keys: JwtKeys;
  /** Audiences of the API server itself. */
  readonly apiAudiences: readonly string[];
  readonly view: ClusterView;
  readonly clock: Clock;
  /** Called when the token of a secret was accepted. */
  readonly legacyUsed?: (secret: V1Secret) => void;
}

/** Clocks may differ by this much, and a deleted object's tokens live on for as long. Milliseconds. */
const LEEWAY = 60_000;
/** Signatures are checked once per token while it stays among the most recent ones. */
const CACHE_SIZE = 4096;
const LABEL_INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

/**
 * Service-account tokens: bound ones (TokenRequest) and those in Secrets. The signature of a token is
 * remembered; what it is bound to is looked up each time, so that deletion takes effect at once.
 */
export class ServiceAccountTokenAuthenticator implements TokenAuthenticator {
  private readonly verified = new Map<string, DecodedJwt>();

  constructor(private readonly options: ServiceAccountTokenOptions) {}

  authenticateToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
    const jwt = this.verified.get(token) ?? decodeJwt(token);
    const issuer = jwt?.claims['iss'];
    if (!jwt || (issuer !== this.options.issuer && issuer !== LEGACY_ISSUER)) return undefined;
    this.checkSignature(token, jwt);
    const tokenAudiences = readAudiences(jwt.claims);
    const valid = (tokenAudiences.length > 0 ? tokenAudiences : this.options.apiAudiences).filter((audience) => audiences.includes(audience));
    if (valid.length === 0 && this.options.apiAudiences.length > 0) {
      throw new TokenError(`token audiences ${quoteList(tokenAudiences)} is invalid for the target audiences ${quoteList(audiences)}`);
    }
    return { user: issuer === LEGACY_ISSUER ? this.checkLegacy(token, jwt.claims) : this.checkBound(jwt.claims), audiences: valid };
  }

  private checkSignature(token: string, jwt: DecodedJwt): void {
    if (this.verified.has(token)) return;
    if (!this.options.keys.verify(jwt)) throw new TokenError('go-jose/go-jose: error in cryptographic primitive');
    if (this.verified.size >= CACHE_SIZE) this.verified.clear();
    this.verified.set(token, jwt);
  }

  private checkTimes(claims: JwtClaims): void {
    const now = this.options.clock.now();
    const claim = (name: string): number | undefined => (typeof claims[name] === 'number' ? claims[name] * 1000 : undefined);
    const [notBefore, expires, issued] = [claim('nbf'), claim('exp'), claim('iat')];
    if (notBefore !== undefined && now + LEEWAY < notBefore) throw new TokenError('service account token is not valid yet');
    if (expires !== undefined && now - LEEWAY > expires) throw new TokenError('service account token has expired');
    if (issued !== undefined && now + LEEWAY < issued) throw new TokenError('service account token is issued in the future');
  }

  private checkBound(claims: JwtClaims): TokenIdentity['user'] {
    this.checkTimes(claims);
    const bound = readBoundClaims(claims);
    this.checkAccount(bound.namespace, bound.serviceAccount);
    if (bound.secret) this.checkReference(SECRETS, bound.namespace, bound.secret, 'secret UID', 'secret');
    if (bound.pod) this.checkReference(PODS, bound.namespace, bound.pod, 'pod UID', 'pod');
    else if (bound.node) this.checkReference(NODES, '', bound.node, 'node UID', 'node');
    return serviceAccountUser(bound, typeof claims['jti'] === 'string' ? claims['jti'] : '');
  }

  private checkAccount(namespace: string, wanted: ClaimReference): void {
    const account = this.options.view.get(SERVICE_ACCOUNTS, namespace, wanted.name);
    if (!account) throw new TokenError(`serviceaccounts "${wanted.name}" not found`);
    if (account.metadata?.uid !== wanted.uid) throw new TokenError(`service account UID (${account.metadata?.uid}) does not match claim (${wanted.uid})`);
    if (this.isGone(account)) throw new TokenError(`service account ${namespace}/${wanted.name} has been deleted`);
  }

  private checkReference(ref: ResourceRef, namespace: string, wanted: ClaimReference, label: string, noun: string): void {
    const object = this.options.view.get(ref, namespace, wanted.name);
    if (!object || this.isGone(object)) throw new TokenError('service account token has been invalidated');
    if (object.metadata?.uid !== wanted.uid) {
      throw new TokenError(`${label} (${object.metadata?.uid}) does not match service account ${noun} ref claim (${wanted.uid})`);
    }
  }

  private isGone(object: KubeObject): boolean {
    const deleted = object.metadata?.deletionTimestamp;
    return deleted !== undefined && Date.parse(deleted) < this.options.clock.now() - LEEWAY;
  }

  private checkLegacy(token: string, claims: JwtClaims): TokenIdentity['user'] {
    const legacy = readLegacyClaims(claims);
    const subject = parseServiceAccountUserName(typeof claims['sub'] === 'string' ? claims['sub'] : '');
    if (!subject || subject.namespace !== legacy.namespace || subject.name !== legacy.serviceAccount.name) throw new TokenError('sub claim is invalid');
    const secret = this.options.view.get(SECRETS, legacy.namespace, legacy.secretName);
    if (!secret || secret.metadata?.deletionTimestamp !== undefined) throw new TokenError('Token has been invalidated');
    const stored = Buffer.from(secret.data?.['token'] ?? '', 'base64');
    const sent = Buffer.from(token);
    if (stored.length !== sent.length || !timingSafeEqual(stored, sent)) throw new TokenError("Token does not match server's copy");
    const account = this.options.view.get(SERVICE_ACCOUNTS, legacy.namespace, legacy.serviceAccount.name);
    if (!account || account.metadata?.deletionTimestamp !== undefined) {
      throw new TokenError(`ServiceAccount ${legacy.namespace}/${legacy.serviceAccount.name} has been deleted`);
    }
    if (account.metadata?.uid !== legacy.serviceAccount.uid) {
      throw new TokenError(`ServiceAccount UID (${account.metadata?.uid}) does not match claim (${legacy.serviceAccount.uid})`);
    }
    if (secret.metadata?.labels?.[LABEL_INVALID_SINCE]) throw new TokenError(`the token in secret ${legacy.namespace}/${legacy.secretName} has been marked invalid`);
    this.options.legacyUsed?.(secret);
    return serviceAccountUser(legacy, '');
  }
}

function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

