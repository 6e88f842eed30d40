import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { KubeError } from '../errors.js';

/** How signatures with a key are made. */
export interface JwtAlgorithm {
  readonly name: string;
  readonly hash: string;
}

const CURVES: Readonly<Record<string, JwtAlgorithm>> = {
  prime256v1: { name: 'ES256', hash: 'sha256' },
  secp384r1: { name: 'ES384', hash: 'sha384' },
  secp521r1: { name: 'ES512', hash: 'sha512' },
};
const RSA: JwtAlgorithm = { name: 'RS256', hash: 'sha256' };

/** The algorithm of a key; throws `KUBE_TOKEN_KEY` for keys that tokens cannot be signed with. */
export function algorithmFor(key: KeyObject): JwtAlgorithm {
  const found = key.asymmetricKeyType === 'rsa' ? RSA : CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (!found) throw new KubeError('KUBE_TOKEN_KEY', 'keys of service-account tokens must be RSA or ECDSA on P-256, P-384 or P-521');
  return found;
}

/** Key id as upstream derives it: SHA-256 of the public key's DER. */
export function keyIdOf(key: KeyObject): string {
  return createHash('sha256').update(key.export({ type: 'spki', format: 'der' })).digest('base64url');
}

const encodePart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs tokens (RS256, or ES256/384/512 after the key's curve). */
export class JwtSigner {
  private readonly key: KeyObject;
  private readonly algorithm: JwtAlgorithm;
  private readonly header: string;

  /** @param pem private key */
  constructor(pem: string) {
    this.key = createPrivateKey(pem);
    this.algorithm = algorithmFor(this.key);
    this.header = encodePart({ alg: this.algorithm.name, kid: keyIdOf(createPublicKey(this.key)) });
  }

  sign(claims: Readonly<Record<string, unknown>>): string {
    const content = `${this.header}.${encodePart(claims)}`;
    const signature = sign(this.algorithm.hash, Buffer.from(content), { key: this.key, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }
}
