import { createPrivateKey, createPublicKey } from 'node:crypto';
import { KubeError } from '../errors.js';
import { bitString, der, explicit, oid, oidText, parseDer, sequence, set, unsignedInteger } from './der.js';
import { EXTENSION, extension, readExtensions } from './extensions.js';
import { decodeAltNames, decodeName, encodeAltNames, encodeName, type DistinguishedName, type SubjectAltNames } from './names.js';
import { pemBlock, toPem } from './pem.js';
import { algorithmOf, signDer, verifyDer } from './signature.js';

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';

/** What a PKCS #10 request asks for. */
export interface CertificateRequest extends DistinguishedName, SubjectAltNames {
  /** DER of the subject as sent, so that it can be copied exactly. */
  readonly subjectDer: Buffer;
  /** DER (SPKI) of the public key. */
  readonly publicKeyDer: Buffer;
  /** The signature proves possession of the key. */
  readonly verified: boolean;
}

/** Decodes a PEM `CERTIFICATE REQUEST` and checks its signature. Throws `KUBE_TLS_REQUEST` when it is not one. */
export function parseCsr(pem: string): CertificateRequest {
  const bytes = pemBlock(pem, 'CERTIFICATE REQUEST');
  if (!bytes) throw new KubeError('KUBE_TLS_REQUEST', 'PEM block type must be CERTIFICATE REQUEST');
  try {
    const [info, algorithm, signature] = parseDer(bytes).children;
    const [, subject, publicKey, attributes] = info!.children;
    const requested = attributes?.children.find((attribute) => oidText(attribute.children[0]!) === EXTENSION_REQUEST);
    const extensions = readExtensions(requested?.children[1]?.children[0]);
    const altNames = extensions.get(EXTENSION.subjectAltName);
    return {
      ...decodeName(subject!),
      ...decodeAltNames(altNames ? parseDer(altNames) : undefined),
      subjectDer: subject!.raw,
      publicKeyDer: publicKey!.raw,
      verified: verifyDer(publicKey!.raw, algorithm!, info!.raw, signature!.content.subarray(1)),
    };
  } catch (error) {
    throw new KubeError('KUBE_TLS_REQUEST', 'the certificate request is malformed', { cause: error });
  }
}

/** Makes a PEM `CERTIFICATE REQUEST`, signed with `key` (PEM). */
export function createCsr(key: string, request: DistinguishedName & Partial<SubjectAltNames>): string {
  const privateKey = createPrivateKey(key);
  const altNames = encodeAltNames(request);
  const attributes = altNames
    ? [sequence(oid(EXTENSION_REQUEST), set(sequence(extension(EXTENSION.subjectAltName, false, altNames))))]
    : [];
  const info = sequence(
    unsignedInteger(Buffer.from([0])),
    encodeName(request),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    attributes.length > 0 ? explicit(0, ...attributes) : der(0xa0),
  );
  return toPem('CERTIFICATE REQUEST', sequence(info, algorithmOf(privateKey), bitString(signDer(privateKey, info))));
}

