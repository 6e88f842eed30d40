import { oidText, parseDer, timeValue, type DerElement } from './der.js';
import { EXTENSION, readExtensions } from './extensions.js';
import { decodeAltNames, decodeName, type DecodedName, type SubjectAltNames } from './names.js';
import { KubeError } from '../errors.js';
import { verifyDer } from './signature.js';

/** The parts of a certificate that decide whom it identifies and for how long. */
export interface CertificateFacts {
  readonly subject: DecodedName;
  readonly issuerDer: Buffer;
  readonly subjectDer: Buffer;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Object identifiers; undefined when the extension is absent (then any use is allowed). */
  readonly extendedKeyUsages: readonly string[] | undefined;
  readonly isAuthority: boolean;
  readonly altNames: SubjectAltNames;
  /** DER (SPKI) of the public key. */
  readonly publicKeyDer: Buffer;
  /** Upper-case hexadecimal. */
  readonly serialNumber: string;
  /** Whether the certificate was signed by the key of `issuer`. */
  isSignedBy(issuer: CertificateFacts): boolean;
}

/** Decodes a DER certificate. Throws `KUBE_TLS_CERTIFICATE` when it is not one. */
export function parseCertificate(bytes: Buffer): CertificateFacts {
  try {
    return decode(parseDer(bytes));
  } catch (error) {
    throw new KubeError('KUBE_TLS_CERTIFICATE', 'the certificate is malformed', { cause: error });
  }
}

function decode(certificate: DerElement): CertificateFacts {
  const [body, algorithm, signature] = certificate.children as [DerElement, DerElement, DerElement];
  const fields = body.children[0]!.tag === 0xa0 ? body.children.slice(1) : body.children;
  const [serial, , issuer, validity, subject, publicKey] = fields as [DerElement, DerElement, DerElement, DerElement, DerElement, DerElement];
  const extensions = readExtensions(fields.find((field) => field.tag === 0xa3)?.children[0]);
  const read = (id: string): DerElement | undefined => {
    const value = extensions.get(id);
    return value ? parseDer(value) : undefined;
  };
  return {
    subject: decodeName(subject),
    issuerDer: issuer.raw,
    subjectDer: subject.raw,
    notBefore: timeValue(validity.children[0]!),
    notAfter: timeValue(validity.children[1]!),
    extendedKeyUsages: read(EXTENSION.extendedKeyUsage)?.children.map(oidText),
    isAuthority: read(EXTENSION.basicConstraints)?.children[0]?.content[0] === 0xff,
    altNames: decodeAltNames(read(EXTENSION.subjectAltName)),
    publicKeyDer: publicKey.raw,
    serialNumber: serial.content.toString('hex').toUpperCase(),
    isSignedBy: (other) => verifyDer(other.publicKeyDer, algorithm, body.raw, signature.content.subarray(1)),
  };
}
