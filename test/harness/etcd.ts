import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './server-process.js';

/** A real etcd with one member, in a folder of its own. */
export interface EtcdProcess {
  readonly url: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on its data; resolves when it answers. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  pause(): void;
  resume(): void;
  /** Runs `etcdctl` against it. Throws when it fails. */
  ctl(...args: readonly string[]): string;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** Starts Debian's etcd; `flags` may turn TLS on, then `url` is `https:` and `ctlFlags` say how etcdctl gets in. */
export async function startEtcd(flags: readonly string[] = [], ctlFlags: readonly string[] = []): Promise<EtcdProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-etcd-'));
  const scheme = flags.includes('--cert-file') || flags.some((flag) => flag.startsWith('--cert-file=')) ? 'https' : 'http';
  const [port, peer] = [await freePort(), await freePort()];
  const url = `${scheme}://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  const start = async (): Promise<void> => {
    const peerUrl = `http://127.0.0.1:${peer}`;
    const args = ['--name', 'default', '--data-dir', folder, '--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`, ...flags];
    const started = spawn('etcd', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let stderr = '';
    exited = new Promise((resolve) => started.once('close', () => resolve()));
    await new Promise<void>((resolve, reject) => {
      started.once('error', (error) => reject(new Error(`etcd cannot be started (Debian's package etcd-server has it): ${error.message}`)));
      started.once('close', (code) => reject(new Error(`etcd ended with ${code}: ${stderr.slice(-2000)}`)));
      started.stderr.on('data', (chunk) => {
        stderr = (stderr + String(chunk)).slice(-8000);
        if (/ready to serve client requests|serving (insecure )?client requests/.test(stderr)) resolve();
      });
    });
  };
  await start();
  return {
    url,
    start,
    async kill() {
      child?.kill('SIGKILL');
      await exited;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    ctl: (...args) => execFileSync('etcdctl', ['--endpoints', url, ...ctlFlags, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ETCDCTL_API: '3' } }),
    async remove() {
      child?.kill('SIGCONT');
      child?.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
