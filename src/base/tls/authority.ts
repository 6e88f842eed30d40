import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.js';
import { KubeError } from '../errors.js';
import type { Random } from '../random.js';
import { parseCertificate } from './certificate.js';
import { parseCsr } from './csr.js';
import { bitString, explicit, parseDer, sequence, time, unsignedInteger } from './der.js';
import { authorityKeyIdentifier, basicConstraints, EXTENSION, extension, keyIdentifier, subjectKeyIdentifier, usageExtensions } from './extensions.js';
import { generateEcKey, privateKeyPem } from './keys.js';
import { encodeAltNames, encodeName, type SubjectAltNames } from './names.js';
import { pemBlock, toPem } from './pem.js';
import { signedSubject } from './subject.js';
import { algorithmOf, signDer } from './signature.js';

/** A certificate and its private key, PEM. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** Where time and serial numbers come from. */
export interface CertificateEnvironment {
  readonly clock: Clock;
  readonly random: Random;
}

/** A certificate that signs others. */
export interface CertificateAuthority extends CertificatePair, CertificateEnvironment {
  readonly signer: KeyObject;
  /** DER of its subject: the issuer of what it signs. */
  readonly subjectDer: Buffer;
  /** Milliseconds since the epoch; nothing signed outlives it. */
  readonly notAfter: number;
}

export interface IssueOptions extends Partial<SubjectAltNames> {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** What the certificate proves: a client, a server, or both. */
  readonly usages: readonly ('client' | 'server')[];
  /** Default 365. */
  readonly validityDays?: number;
}

export interface SignOptions {
  /** In words: `digital signature`, `key encipherment`, `client auth`, `server auth`, … */
  readonly usages: readonly string[];
  readonly validitySeconds: number;
  /** The certificate is valid from this long ago, for clocks that are late; default 300 s. A validity of {@link SHORT_SECONDS} and more counts from then. */
  readonly backdateSeconds?: number;
}

const DAY = 86_400_000;
/** Peers whose clock is a little late must accept a certificate that was made just now. */
const BACKDATE = 300_000;
/** Upstream's limit for certificates whose end is not backdated. */
const SHORT_SECONDS = 8 * 3600;

/** Makes a self-signed authority with a P-256 key. `validityDays` defaults to ten years. */
export function createCertificateAuthority(
  options: { readonly commonName: string; readonly validityDays?: number },
  environment: CertificateEnvironment,
): CertificateAuthority {
  const signer = generateEcKey();
  const subjectDer = encodeName({ commonName: options.commonName, organizations: [] });
  const now = environment.clock.now();
  const certificate = signCertificate(environment.random, signer, {
    issuerDer: subjectDer,
    subjectDer,
    publicKeyDer: publicKeyDer(signer),
    notBefore: now - BACKDATE,
    notAfter: now + (options.validityDays ?? 3650) * DAY,
    extensions: [...usageExtensions(['digital signature', 'key encipherment', 'cert sign']), basicConstraints(true), ...keyIdentifiers(publicKeyDer(signer), signer)],
  });
  return loadCertificateAuthority({ certificate, key: privateKeyPem(signer) }, environment);
}

/** Takes up an authority that was made earlier. Throws `KUBE_TLS_AUTHORITY` when the pair does not fit or is no authority. */
export function loadCertificateAuthority(pair: CertificatePair, environment: CertificateEnvironment): CertificateAuthority {
  const bytes = pemBlock(pair.certificate, 'CERTIFICATE');
  if (!bytes) throw new KubeError('KUBE_TLS_AUTHORITY', 'no certificate in the PEM text of the authority');
  const facts = parseCertificate(bytes);
  const signer = createPrivateKey(pair.key);
  if (!facts.isAuthority) throw new KubeError('KUBE_TLS_AUTHORITY', 'the certificate is not that of an authority');
  if (!publicKeyDer(signer).equals(facts.publicKeyDer)) throw new KubeError('KUBE_TLS_AUTHORITY', 'key and certificate of the authority do not belong together');
  return { ...pair, ...environment, signer, subjectDer: facts.subjectDer, notAfter: facts.notAfter };
}

/** Makes a key (P-256) and a certificate for it. */
export function issueCertificate(authority: CertificateAuthority, options: IssueOptions): CertificatePair {
  const key = generateEcKey();
  const altNames = encodeAltNames(options);
  const now = authority.clock.now();
  const certificate = signCertificate(authority.random, authority.signer, {
    issuerDer: authority.subjectDer,
    subjectDer: encodeName({ commonName: options.commonName, organizations: options.organizations ?? [] }),
    publicKeyDer: publicKeyDer(key),
    notBefore: now - BACKDATE,
    notAfter: Math.min(now + (options.validityDays ?? 365) * DAY, authority.notAfter),
    extensions: [
      ...usageExtensions(['digital signature', 'key encipherment', ...options.usages.map((usage) => `${usage} auth`)]),
      basicConstraints(false),
      ...(altNames ? [extension(EXTENSION.subjectAltName, false, altNames)] : []),
      ...keyIdentifiers(publicKeyDer(key), authority.signer),
    ],
  });
  return { certificate, key: privateKeyPem(key) };
}

/**
 * Signs a certificate request: names and key are the request's, and so is what counts of the subject; usages and validity are the caller's.
 * Returns the certificate as PEM. Throws `KUBE_TLS_REQUEST` when the request is malformed or its signature wrong.
 */
export function signCsr(authority: CertificateAuthority, csrPem: string, options: SignOptions): string {
  const request = parseCsr(csrPem);
  if (!request.verified) throw new KubeError('KUBE_TLS_REQUEST', 'the signature of the certificate request does not verify');
  const altNames = encodeAltNames(request);
  const subjectDer = signedSubject(request.subjectDer);
  const now = authority.clock.now();
  const notBefore = now - (options.backdateSeconds ?? BACKDATE / 1000) * 1000;
  return signCertificate(authority.random, authority.signer, {
    issuerDer: authority.subjectDer,
    subjectDer,
    publicKeyDer: request.publicKeyDer,
    notBefore,
    notAfter: Math.min((options.validitySeconds < SHORT_SECONDS ? now : notBefore) + options.validitySeconds * 1000, authority.notAfter),
    extensions: [
      ...usageExtensions(options.usages),
      basicConstraints(false),
      authorityKeyIdentifier(identifierOf(publicKeyDer(authority.signer))),
      ...(altNames ? [extension(EXTENSION.subjectAltName, subjectDer.length <= 2, altNames)] : []),
    ],
  });
}

interface CertificateBody {
  readonly issuerDer: Buffer;
  readonly subjectDer: Buffer;
  readonly publicKeyDer: Buffer;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
}

function signCertificate(random: Random, signer: KeyObject, body: CertificateBody): string {
  const serial = random.bytes(16);
  // Positive and of full length, so that its encoding does not vary.
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const algorithm = algorithmOf(signer);
  const bytes = sequence(
    explicit(0, unsignedInteger(Buffer.from([2]))),
    unsignedInteger(serial),
    algorithm,
    body.issuerDer,
    sequence(time(body.notBefore), time(body.notAfter)),
    body.subjectDer,
    body.publicKeyDer,
    explicit(3, sequence(
      ...body.extensions,
    )),
  );
  return toPem('CERTIFICATE', sequence(bytes, algorithm, bitString(signDer(signer, bytes))));
}

function publicKeyDer(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
}

function keyIdentifiers(publicKey: Buffer, signer: KeyObject): Buffer[] {
  return [subjectKeyIdentifier(identifierOf(publicKey)), authorityKeyIdentifier(identifierOf(publicKeyDer(signer)))];
}

function identifierOf(spki: Buffer): Buffer {
  return keyIdentifier(parseDer(spki).children[1]!.content.subarray(1));
}

