import { readFile, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { NodeHost } from '../../../../src/node/host.js';
import { run } from '../../../harness/executable.js';
import { processes } from './own-host.js';

/** What clusters may leave on a host: two of them are compared around a cluster's life. */
export type HostSnapshot = Readonly<Record<'interfaces' | 'addresses' | 'routes' | 'rules' | 'mounts' | 'cgroups' | 'processes' | 'files' | 'sysctls', readonly string[]>>;

/** Names that things of a cluster carry, with its id. */
const CLUSTER = /kube-(?:test-)?([0-9a-f]{8})|\/run\/kube\/([0-9a-f]{8})|\bk([0-9a-f]{8})(?:[0-9a-f]{6}\b|\b)/;
const SYSCTLS = ['net.ipv4.ip_forward', 'net.ipv4.conf.all.route_localnet', 'net.ipv4.conf.all.rp_filter', 'net.ipv4.conf.lo.route_localnet'];
/** Programs that clusters run, beside those in namespaces of their own. */
const PROGRAMS = /(?:^|\/)(?:conmon|runc|catatonit|kube-start)$/;

/**
 * Looks at interfaces, addresses, routes, the packet filter, mounts, control groups, processes, the folders that clusters write to, and sysctls. What carries the id of a
 * cluster that is not one of `own` is left out, and so are the values that all clusters share while there is such a one: others may come and go meanwhile.
 */
export async function hostSnapshot(...own: readonly NodeHost[]): Promise<HostSnapshot> {
  const ids = new Set(own.map(({ clusterId }) => clusterId));
  const keep = (line: string): boolean => {
    const [, first, second, third] = CLUSTER.exec(line) ?? [];
    const id = first ?? second ?? third;
    return line !== '' && (id === undefined || ids.has(id));
  };
  const all = async (program: string, ...args: readonly string[]): Promise<readonly string[]> => (await run(program, args)).stdout.split('\n').sort();
  const lines = async (program: string, ...args: readonly string[]): Promise<readonly string[]> => (await all(program, ...args)).filter(keep);
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ').slice(3, 6).join(' '));
  const files = await all('find', '/run/kube', '-mindepth', '1', '-maxdepth', '1');
  const shared = files.some((file) => !keep(file) && file !== '');
  const addresses = await all('ip', '-o', 'addr');
  const foreign = addresses.filter((line) => !keep(line)).flatMap((line) => / inet ([\d.]+)/.exec(line)?.[1] ?? []);
  return {
    interfaces: (await lines('ip', '-br', 'link')).map((line) => line.split(/[ @]/)[0]!),
    // The kernel gives interfaces addresses of their own link, some time after their beginning.
    addresses: addresses.filter((line) => keep(line) && !line.includes(' fe80:')).map((line) => line.replace(/^\d+: /, '').replace(/\\.*/, '')),
    routes: (await lines('ip', 'route', 'show', 'table', 'all')).filter((line) => !line.includes('fe80:') && !foreign.some((address) => line.includes(` ${address} `))),
    rules: await rules(keep),
    mounts: mounts.filter((line) => keep(line) && (!line.includes(` ${tmpdir()}/`) || own.some(({ stateFolder }) => line.includes(` ${stateFolder}/`)))).sort(),
    cgroups: await lines('find', '/sys/fs/cgroup', '-type', 'd', '-name', '*kube*'),
    processes: await contained(keep),
    files: files.filter((file) => keep(file) && !(shared && file.includes('sysctls.json'))),
    sysctls: shared ? [] : await all('sysctl', ...SYSCTLS),
  };
}

/** The packet filter without counts of what went through. */
async function rules(keep: (line: string) => boolean): Promise<readonly string[]> {
  const tables = (await run('nft', ['list', 'ruleset'])).stdout.replace(/packets \d+ bytes \d+/g, '').split(/^(?=table )/m);
  return tables.filter((table) => keep(table.slice(0, table.indexOf('\n')))).flatMap((table) => table.split('\n').filter(keep));
}

/** Command lines of the programs that clusters run and of everything in a process or network namespace of its own. */
async function contained(keep: (line: string) => boolean): Promise<readonly string[]> {
  const spaces = (pid: number | 'self'): Promise<string> => Promise.all(['pid', 'net'].map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => ''))).then((all) => all.join());
  const ours = await spaces('self');
  const found = await Promise.all((await processes()).map(async ({ pid, words, groups }): Promise<string[]> => {
    const theirs = await spaces(pid);
    const inside = theirs !== ours && theirs !== ',';
    return (inside || PROGRAMS.test(words[0]!)) && keep(`${groups} ${words.join(' ')}`) ? [words.join(' ')] : [];
  }));
  return found.flat().sort();
}
