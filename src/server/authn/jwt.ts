import { verify, type KeyObject } from 'node:crypto';
import { algorithmFor, keyIdOf, type JwtAlgorithm } from '../../base/tls/jwt-signer.js';
import { readPublicKey } from '../../base/tls/keys.js';

/** The claims of a token as sent; nothing about them is known to be true. */
export type JwtClaims = Readonly<Record<string, unknown>>;

interface VerificationKey {
  readonly id: string;
  readonly key: KeyObject;
  readonly algorithm: JwtAlgorithm;
}

/** A token taken apart. */
export interface DecodedJwt {
  readonly claims: JwtClaims;
  readonly algorithm: string;
  readonly keyId: string;
  /** What was signed. */
  readonly content: string;
  readonly signature: Buffer;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Takes a compact token apart; undefined when it is not one. */
export function decodeJwt(token: string): DecodedJwt | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) return undefined;
  const header = parseObject(parts[0]!);
  const claims = parseObject(parts[1]!);
  if (!header || !claims) return undefined;
  return {
    claims,
    algorithm: typeof header['alg'] === 'string' ? header['alg'] : '',
    keyId: typeof header['kid'] === 'string' ? header['kid'] : '',
    content: `${parts[0]!}.${parts[1]!}`,
    signature: Buffer.from(parts[2]!, 'base64url'),
  };
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The keys whose signatures are accepted. */
export class JwtKeys {
  private readonly keys: readonly VerificationKey[];

  /** @param pems public or private keys, or certificates; doubles are dropped */
  constructor(pems: readonly string[]) {
    const byId = new Map<string, VerificationKey>();
    for (const pem of pems) {
      const key = readPublicKey(pem);
      const id = keyIdOf(key);
      byId.set(id, { id, key, algorithm: algorithmFor(key) });
    }
    this.keys = [...byId.values()];
  }

  /** Whether one of the keys made the signature; a token that names its key is tried with that one alone. */
  verify(token: DecodedJwt): boolean {
    const candidates = token.keyId === '' ? this.keys : this.keys.filter((key) => key.id === token.keyId);
    return candidates.some(
      ({ key, algorithm }) =>
        // The algorithm is the key's, never the token's choice.
        algorithm.name === token.algorithm &&
        verify(algorithm.hash, Buffer.from(token.content), { key, dsaEncoding: 'ieee-p1363' }, token.signature),
    );
  }

  /** JSON Web Key Set, as `/openid/v1/jwks` shows it. */
  toJwks(): { keys: Record<string, unknown>[] } {
    return { keys: this.keys.map(({ id, key, algorithm }) => ({ use: 'sig', kid: id, alg: algorithm.name, ...key.export({ format: 'jwk' }) })) };
  }

  /** Names of the algorithms in use, sorted. */
  algorithms(): string[] {
    return [...new Set(this.keys.map((key) => key.algorithm.name))].sort();
  }
}
