import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { KubeError } from '../base/errors.js';
import { readIfPresent, writeAtomically } from '../base/files.js';
import type { Random } from '../base/random.js';
import { createCertificateAuthority, issueCertificate, loadCertificateAuthority, type CertificateAuthority, type CertificatePair, type IssueOptions } from '../base/tls/authority.js';
import { parseCertificate } from '../base/tls/certificate.js';
import { generateEcKeyPair, readPublicKey } from '../base/tls/keys.js';
import { pemBlock } from '../base/tls/pem.js';

/** All keys and certificates of a cluster. */
export interface Pki {
  readonly ca: CertificateAuthority;
  /** The API server's. */
  readonly serving: CertificatePair;
  /** `kubernetes-admin` in `system:masters`. */
  readonly admin: CertificatePair;
  /** With which the API server calls node agents. */
  readonly kubeletClient: CertificatePair;
  /** The node agent's serving certificate. */
  readonly kubeletServing: CertificatePair;
  readonly serviceAccountKey: string;
  /** A client certificate of another identity, made when first asked for. */
  client(file: string, commonName: string, organizations: readonly string[]): Promise<CertificatePair>;
}

/** Names and addresses that the serving certificate has to be valid for. */
export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const DAY = 86_400_000;
/** A certificate is made anew at start when it has less than this left. */
const RENEW_BEFORE = 30 * DAY;

/** DNS names of the API server inside every cluster, and of this host. */
export function servingNames(addresses: readonly string[], clusterDomain = 'cluster.local'): ServingNames {
  return {
    dnsNames: ['localhost', hostname(), 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', `kubernetes.default.svc.${clusterDomain}`],
    ipAddresses: [...new Set(['127.0.0.1', '::1', ...addresses])],
  };
}

/** Where a cluster's keys are kept: files in a folder, or nowhere. */
export interface PkiStore {
  read(name: string): Promise<string | undefined>;
  write(name: string, content: string): Promise<void>;
}

/** Files in `folder`, each with mode 0600. */
export function filePkiStore(folder: string): PkiStore {
  return {
    read: (name) => readIfPresent(join(folder, name)),
    write: (name, content) => writeAtomically(join(folder, name), content),
  };
}

/** For clusters that live in memory only. */
export function memoryPkiStore(): PkiStore {
  const files = new Map<string, string>();
  return {
    read: (name) => Promise.resolve(files.get(name)),
    write: (name, content) => {
      files.set(name, content);
      return Promise.resolve();
    },
  };
}

/**
 * Reads the keys and certificates, and makes what is missing, expires within a month, or does not cover `names`. The
 * authority is never replaced: a damaged one is an error (`KUBE_PKI`).
 */
export async function ensurePki(store: PkiStore, names: ServingNames, environment: { readonly clock: Clock; readonly random: Random }): Promise<Pki> {
  const ca = await ensureAuthority(store, environment);
  const pair = async (file: string, options: IssueOptions): Promise<CertificatePair> => {
    const existing = await readPair(store, file);
    if (existing && isFit(existing.certificate, ca, options, environment.clock)) return existing;
    const fresh = issueCertificate(ca, options);
    // The key first: a certificate without its key would be taken for damage.
    await store.write(`${file}.key`, fresh.key);
    await store.write(`${file}.crt`, fresh.certificate);
    return fresh;
  };
  const client = (file: string, commonName: string, organizations: readonly string[]): Promise<CertificatePair> =>
    pair(file, { commonName, organizations, usages: ['client'] });
  const [serving, admin, kubeletClient, kubeletServing, serviceAccountKey] = await Promise.all([
    pair('apiserver', { commonName: 'kube-apiserver', usages: ['server'], ...names }),
    client('admin', 'kubernetes-admin', ['system:masters']),
    client('apiserver-kubelet-client', 'kube-apiserver-kubelet-client', ['system:masters']),
    pair('kubelet', { commonName: 'kubelet', usages: ['server'], ...names }),
    ensureServiceAccountKey(store),
  ]);
  return { ca, serving, admin, kubeletClient, kubeletServing, serviceAccountKey, client };
}

/** A digest of what servers of one cluster must have in common: the authority, and the key of service-account tokens. */
export function keyIdentity({ ca, serviceAccountKey }: Pick<Pki, 'ca' | 'serviceAccountKey'>): string {
  const parts = [pemBlock(ca.certificate, 'CERTIFICATE')!, readPublicKey(serviceAccountKey).export({ type: 'spki', format: 'der' })];
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

async function ensureAuthority(store: PkiStore, environment: { readonly clock: Clock; readonly random: Random }): Promise<CertificateAuthority> {
  const existing = await readPair(store, 'ca');
  if (existing) {
    try {
      return loadCertificateAuthority(existing, environment);
    } catch (error) {
      throw new KubeError('KUBE_PKI', 'the cluster authority in pki/ca.crt and pki/ca.key cannot be read: restore both files, or remove the cluster with "kube reset"', { cause: error });
    }
  }
  const fresh = createCertificateAuthority({ commonName: 'kubernetes' }, environment);
  await store.write('ca.key', fresh.key);
  await store.write('ca.crt', fresh.certificate);
  return fresh;
}

async function ensureServiceAccountKey(store: PkiStore): Promise<string> {
  const existing = await store.read('sa.key');
  if (existing) return existing;
  const fresh = generateEcKeyPair();
  await store.write('sa.pub', fresh.publicKey);
  await store.write('sa.key', fresh.privateKey);
  return fresh.privateKey;
}

async function readPair(store: PkiStore, file: string): Promise<CertificatePair | undefined> {
  const [certificate, key] = await Promise.all([store.read(`${file}.crt`), store.read(`${file}.key`)]);
  return certificate && key ? { certificate, key } : undefined;
}

function isFit(certificate: string, ca: CertificateAuthority, options: IssueOptions, clock: Clock): boolean {
  const der = pemBlock(certificate, 'CERTIFICATE');
  if (!der) return false;
  const facts = parseCertificate(der);
  const authority = parseCertificate(pemBlock(ca.certificate, 'CERTIFICATE')!);
  const covers = (has: readonly string[], wanted: readonly string[] | undefined): boolean => (wanted ?? []).every((name) => has.includes(name));
  return (
    facts.notAfter - clock.now() > RENEW_BEFORE &&
    facts.isSignedBy(authority) &&
    covers(facts.altNames.dnsNames, options.dnsNames) &&
    covers(facts.altNames.ipAddresses, options.ipAddresses)
  );
}
