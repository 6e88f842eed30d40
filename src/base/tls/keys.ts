import { createPrivateKey, createPublicKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** A key pair in PEM form: PKCS #8 and SPKI. */
export interface PemKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** A fresh P-256 key (about a millisecond). */
export function generateEcKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** A fresh P-256 key pair, for instance to sign tokens with ES256. */
export function generateEcKeyPair(): PemKeyPair {
  return toPemPair(generateEcKey());
}

/** A fresh RSA key pair, made off the event loop (about 100 ms for the default of 2048 bits). */
export async function generateRsaKeyPair(bits = 2048): Promise<PemKeyPair> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
  return toPemPair(privateKey);
}

function toPemPair(privateKey: KeyObject): PemKeyPair {
  return { privateKey: privateKeyPem(privateKey), publicKey: publicKeyPem(privateKey) };
}

/** PKCS #8 PEM. */
export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** SPKI PEM of the public half of a private or public key. */
function publicKeyPem(key: KeyObject): string {
  return (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'pem' }).toString();
}

/** The public key of a PEM text that holds a private key, a public key or a certificate. Throws when it holds none. */
export function readPublicKey(pem: string): KeyObject {
  return pem.includes('PRIVATE KEY') ? createPublicKey(createPrivateKey(pem)) : createPublicKey(pem);
}
