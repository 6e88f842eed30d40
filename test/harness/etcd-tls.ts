import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/base/clock.js';
import { SystemRandom } from '../../src/base/random.js';
import { createCertificateAuthority, issueCertificate } from '../../src/base/tls/authority.js';
import { startEtcd, type EtcdProcess } from './etcd.js';

/** An etcd that speaks TLS only, wants client certificates of its authority, and has users: `root`, and `kube` with everything under /kube. */
export interface SecureEtcd {
  readonly etcd: EtcdProcess;
  /** Folder with ca.crt, client.crt, client.key, and password (that of user kube). */
  readonly folder: string;
  readonly password: string;
  remove(): Promise<void>;
}

/** Starts one. */
export async function startSecureEtcd(): Promise<SecureEtcd> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-etcd-tls-'));
  const ca = createCertificateAuthority({ commonName: 'etcd-ca' }, { clock: new SystemClock(), random: new SystemRandom() });
  // etcd calls itself with its own certificate.
  const server = issueCertificate(ca, { commonName: 'etcd', usages: ['server', 'client'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const client = issueCertificate(ca, { commonName: 'root', usages: ['client'] });
  const password = 'correct horse';
  const files = { 'ca.crt': ca.certificate, 'server.crt': server.certificate, 'server.key': server.key, 'client.crt': client.certificate, 'client.key': client.key, password: `${password}\n` };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const path = (name: string): string => join(folder, name);
  const etcd = await startEtcd(
    ['--unsafe-no-fsync', '--cert-file', path('server.crt'), '--key-file', path('server.key'), '--client-cert-auth', '--trusted-ca-file', path('ca.crt')],
    ['--cacert', path('ca.crt'), '--cert', path('client.crt'), '--key', path('client.key')],
  );
  etcd.ctl('user', 'add', 'root:root', '--interactive=false');
  etcd.ctl('user', 'grant-role', 'root', 'root');
  etcd.ctl('user', 'add', `kube:${password}`, '--interactive=false');
  etcd.ctl('role', 'add', 'kube');
  etcd.ctl('role', 'grant-permission', 'kube', 'readwrite', '/kube', '/kube0');
  etcd.ctl('role', 'grant-permission', 'kube', 'readwrite', 'compact_rev_key');
  etcd.ctl('user', 'grant-role', 'kube', 'kube');
  etcd.ctl('auth', 'enable');
  return {
    etcd,
    folder,
    password,
    async remove() {
      await etcd.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
