import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { KubeError } from '../errors.js';
import { der, oid, oidText, sequence, TAG, type DerElement } from './der.js';

const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const RSA_SHA256 = '1.2.840.113549.1.1.11';

const HASHES: Readonly<Record<string, string | null>> = {
  [ECDSA_SHA256]: 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  [RSA_SHA256]: 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.3.101.112': null,
};

/** The signature algorithm that a key of ours signs with, as an AlgorithmIdentifier. */
export function algorithmOf(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(oid(ECDSA_SHA256));
  if (key.asymmetricKeyType === 'rsa') return sequence(oid(RSA_SHA256), der(TAG.null));
  throw new KubeError('KUBE_TLS_KEY', `cannot sign with a key of type ${String(key.asymmetricKeyType)}`);
}

export function signDer(key: KeyObject, bytes: Buffer): Buffer {
  return sign('sha256', bytes, key);
}

/** Verifies a signature made with the algorithm of `identifier`; false also for unknown algorithms and unusable keys. */
export function verifyDer(spki: Buffer, identifier: DerElement, bytes: Buffer, signature: Buffer): boolean {
  const id = identifier.children[0];
  const hash = id ? HASHES[oidText(id)] : undefined;
  if (hash === undefined) return false;
  try {
    return verify(hash, bytes, createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
}
