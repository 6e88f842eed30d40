import { readdir, readFile } from 'node:fs/promises';
import { testImageFiles, type TestImageFiles } from '../../scripts/images/test-images.mjs';
import { kube, run, startExecutable, type ExecutableCluster } from './executable.js';

/** Names of the images that {@link startNative} imports. */
export const BUSYBOX = 'kube.test/busybox:1';
export const NGINX = 'kube.test/nginx:1';
export const TOOLS = 'kube.test/tools:1';

/** The test images. */
const IMAGES = ['busybox', 'nginx', 'tools'] as const;

/** The archives of the test images, made when they are missing. */
export async function testImages(): Promise<Readonly<Record<(typeof IMAGES)[number], TestImageFiles>>> {
  const [busybox, nginx, tools] = await Promise.all(IMAGES.map((name) => testImageFiles(name)));
  return { busybox: busybox!, nginx: nginx!, tools: tools! };
}

/** Starts a cluster with native containers and imports test images into it, all of them unless told otherwise. */
export async function startNative(flags: readonly string[] = [], which: readonly (typeof IMAGES)[number][] = IMAGES): Promise<ExecutableCluster> {
  const images = await testImages();
  const cluster = await startExecutable(flags, 'native');
  const archives = which.map((name) => images[name].docker);
  const { code, stderr } = await kube(['image', 'import', ...archives, '--data-dir', cluster.dataDir]);
  if (code !== 0) {
    await cluster.remove();
    throw new Error(`kube image import failed: ${stderr}`);
  }
  return cluster;
}

/** What a cluster may leave on a host; two of them are compared around a cluster's life. */
export interface HostSnapshot {
  readonly interfaces: readonly string[];
  readonly addresses: readonly string[];
  readonly routes: readonly string[];
  readonly rules: string;
  readonly mounts: readonly string[];
  readonly cgroups: readonly string[];
  readonly processes: readonly string[];
  readonly files: readonly string[];
  readonly sysctls: string;
}

/** Programs whose number is compared. */
const PROGRAMS = /^(conmon|runc|catatonit|pause|nginx|sleep|socat|busybox)$/;

/** Looks at interfaces, rules, routes, mounts, control groups, processes and the folders that clusters write to. */
export async function hostSnapshot(): Promise<HostSnapshot> {
  const text = async (program: string, ...args: readonly string[]): Promise<string> => (await run(program, args)).stdout;
  const lines = (value: string): readonly string[] => value.split('\n').filter((line) => line !== '').sort();
  const links = JSON.parse(await text('ip', '-j', 'addr')) as readonly { readonly ifname: string; readonly addr_info: readonly { readonly local: string }[] }[];
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ').slice(3, 6).join(' '));
  const processes: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim();
    if (PROGRAMS.test(name)) processes.push(name);
  }
  return {
    interfaces: links.map((link) => link.ifname).sort(),
    addresses: links.flatMap((link) => link.addr_info.map((address) => `${link.ifname} ${address.local}`)).sort(),
    routes: lines(await text('ip', 'route', 'show', 'table', 'all')),
    rules: await text('nft', 'list', 'ruleset'),
    mounts: mounts.sort(),
    cgroups: lines(await text('find', '/sys/fs/cgroup', '-type', 'd', '-name', '*kube*')),
    processes: processes.sort(),
    files: lines(await text('find', '/run/kube', '/var/run/netns', '/run/netns', '-maxdepth', '2')),
    sysctls: await text('sysctl', 'net.ipv4.ip_forward', 'net.ipv4.conf.all.route_localnet', 'net.ipv4.conf.all.rp_filter'),
  };
}
