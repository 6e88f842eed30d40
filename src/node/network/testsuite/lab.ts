import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../../base/clock.js';
import { silentLogger } from '../../../base/log.js';
import type { CommandResult, Commands } from '../../../base/process/commands.js';
import { directCommands } from '../../../base/process/direct.js';
import { runChecked } from '../../../base/process/run-checked.js';
import { SystemRandom } from '../../../base/random.js';
import type { NodeHost } from '../../host.js';
import type { PodNetworkTools } from '../options.js';
import type { NetworkRequest } from '../pod-network.js';

/** Address of the host towards the outside. */
export const HOST_ADDRESS = '192.0.2.2';
/** Address of a machine outside. */
export const OUTSIDE_ADDRESS = '192.0.2.1';

/**
 * For tests: a host and a machine outside as network namespaces with a wire between them, and namespaces for sandboxes. The host's MTU is 1400. Nothing of the real host is
 * touched.
 */
export class NetworkLab {
  /** Programs that were started with the host's commands. */
  readonly spawned: string[] = [];
  private readonly direct = directCommands();
  private readonly namespaces: string[] = [];
  private readonly id = `knl${randomBytes(3).toString('hex')}`;
  private folder = '';

  static async make(): Promise<NetworkLab> {
    const lab = new NetworkLab();
    lab.folder = await mkdtemp(join(tmpdir(), 'kube-lab-'));
    await lab.namespace('host');
    await lab.namespace('out');
    await lab.ip([`link add up0 netns ${lab.id}-host mtu 1400 type veth peer name eth0 mtu 1400 netns ${lab.id}-out`]);
    // New namespaces take it from the first one.
    await lab.sh('host', `echo 0 > /proc/sys/net/ipv4/ip_forward; ip link set lo up; ip addr add ${HOST_ADDRESS}/24 dev up0; ip link set up0 addrgenmode none up; ip route add default via ${OUTSIDE_ADDRESS}`);
    await lab.sh('out', `ip link set lo up; ip addr add ${OUTSIDE_ADDRESS}/24 dev eth0; ip link set eth0 up`);
    return lab;
  }

  /** A cluster's names on this host. */
  host(clusterId = 'abcd1234'): NodeHost {
    return {
      clusterId, stateFolder: join(this.folder, clusterId, 'state'), runFolder: join(this.folder, 'run', clusterId), cgroup: `/kube-${clusterId}`,
      interfacePrefix: `k${clusterId}`, tablePrefix: `kube-${clusterId}`,
    };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Commands that run in the host's namespace. */
  commands(): Commands {
    const prefix = [`--net=/run/netns/${this.id}-host`];
    return {
      run: (program, args, options) => {
        this.spawned.push([program, ...args].join(' '));
        return this.direct.run('nsenter', [...prefix, program, ...args], options);
      },
      start: (program, args, options) => this.direct.start('nsenter', [...prefix, program, ...args], options),
      close: () => this.direct.close(),
    };
  }

  tools(): PodNetworkTools {
    return { commands: this.commands(), clock: new SystemClock(), random: new SystemRandom(), log: silentLogger };
  }

  /** A namespace file for a sandbox. */
  async pod(name: string): Promise<string> {
    await this.namespace(name);
    return `/run/netns/${this.id}-${name}`;
  }

  async removePod(name: string): Promise<void> {
    this.namespaces.splice(this.namespaces.indexOf(`${this.id}-${name}`), 1);
    await this.ip([`netns del ${this.id}-${name}`]);
  }

  /** Runs a shell line in a namespace and gives what it wrote; throws when it fails. */
  async sh(where: string, line: string): Promise<string> {
    return (await runChecked(this.direct, 'nsenter', [`--net=/run/netns/${this.id}-${where}`, 'sh', '-ec', line])).stdout.toString();
  }

  /** As {@link sh}, but failing is no error. */
  try(where: string, line: string): Promise<CommandResult> {
    return this.direct.run('nsenter', [`--net=/run/netns/${this.id}-${where}`, 'sh', '-ec', line]);
  }

  /** Answers connections in a namespace with the peer's address and a name. */
  async serve(where: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP'): Promise<void> {
    // One write, so that it is one datagram; socat takes quotes away.
    await this.direct.start('nsenter', [`--net=/run/netns/${this.id}-${where}`, 'socat', `${protocol}4-LISTEN:${port},fork,reuseaddr`, `SYSTEM:read line; printf ${where}@$SOCAT_PEERADDR`], { stdin: false });
    const list = protocol === 'TCP' ? 'ss -Hltn' : 'ss -Hlun';
    await this.sh(where, `for i in $(seq 100); do ${list} sport = :${port} | grep -q . && exit 0; sleep 0.02; done; exit 1`);
  }

  /** What a server of {@link serve} answers; empty when nobody does within a second. */
  async ask(where: string, address: string, port: number, protocol: 'TCP' | 'UDP' = 'TCP', from = ''): Promise<string> {
    const bind = from === '' ? '' : `,bind=${from}`;
    return (await this.try(where, `echo hello | socat -T1 -t1 - ${protocol}4:${address}:${port},connect-timeout=1${bind}`)).stdout.toString().replace('@', ' ');
  }

  /** Everything in the host's network that could be left behind. */
  async snapshot(): Promise<readonly string[]> {
    // Addresses of IPv6 come and go by themselves for a while, counters count.
    const text = await this.sh('host', 'ip -o link | cut -d: -f2; ip -o -4 addr; ip -4 route show table all; ip neigh show nud permanent; nft list ruleset; cat /proc/sys/net/ipv4/ip_forward');
    return text.replace(/packets \d+ bytes \d+/g, '').split('\n');
  }

  async close(): Promise<void> {
    for (const name of this.namespaces) await this.direct.run('sh', ['-c', `ip netns pids ${name} | xargs -r kill -9; ip netns del ${name}`]);
    await this.direct.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async namespace(name: string): Promise<void> {
    await this.ip([`netns add ${this.id}-${name}`]);
    this.namespaces.push(`${this.id}-${name}`);
  }

  private async ip(lines: readonly string[]): Promise<void> {
    await runChecked(this.direct, 'ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
  }
}

/** What a sandbox's network is asked for in tests. */
export function networkRequest(sandboxId: string, namespacePath: string, more: Partial<NetworkRequest> = {}): NetworkRequest {
  return { sandboxId, podUid: `uid-${sandboxId}`, podName: `pod-${sandboxId}`, podNamespace: 'default', namespacePath, portMappings: [], annotations: {}, ...more };
}
