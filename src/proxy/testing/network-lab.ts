import type { CommandOptions, CommandResult, Commands, RunningCommand, StartOptions } from '../../base/process/commands.js';
import { directCommands } from '../../base/process/direct.js';
import { runChecked } from '../../base/process/run-checked.js';

/** Number of pods in the lab; pod `i` has the address `10.244.0.<10 + i>`. */
const PODS = 3;

/** Address of a pod of the lab. */
export function podIp(i: number): string {
  return `10.244.0.${10 + i}`;
}

/**
 * A small world of network namespaces: a node (192.168.50.1), a client outside of the cluster (192.168.50.2) whose default
 * route leads to the node, and pods behind routed veth pairs. Pod `i` answers with `pod<i> <address of the peer>` on TCP 8080
 * and UDP 5353.
 */
export class NetworkLab {
  private readonly running: RunningCommand[] = [];

  private constructor(private readonly direct: Commands, private readonly prefix: string) {}

  static async create(prefix: string): Promise<NetworkLab> {
    const lab = new NetworkLab(directCommands(), prefix);
    await lab.remove();
    const { node, client } = lab;
    const ns = (i: number): string => lab.pod(i);
    const pods = Array.from({ length: PODS }, (_, i) => i);
    await lab.batch([], [node, client, ...pods.map(ns)].map((name) => `netns add ${name}`));
    await lab.batch(['-n', node], [
      'link set lo up',
      `link add out type veth peer name eth0 netns ${client}`,
      'address add 192.168.50.1/24 dev out',
      'link set out up',
      'route add default via 192.168.50.2',
      ...pods.flatMap((i) => [
        `link add ktest${i} type veth peer name eth0 netns ${ns(i)}`,
        `address add 10.244.0.1/32 dev ktest${i}`,
        `link set ktest${i} up`,
        `route add ${podIp(i)}/32 dev ktest${i}`,
      ]),
    ]);
    await lab.batch(['-n', client], ['link set lo up', 'address add 192.168.50.2/24 dev eth0', 'link set eth0 up', 'route add default via 192.168.50.1']);
    await Promise.all(pods.map((i) => lab.batch(['-n', ns(i)], ['link set lo up', `address add ${podIp(i)}/32 dev eth0`, 'link set eth0 up', 'route add 10.244.0.1 dev eth0', 'route add default via 10.244.0.1'])));
    await lab.shell(node, 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    for (const i of pods) {
      await lab.serve(ns(i), ['TCP-LISTEN:8080,fork,reuseaddr,backlog=64', `SYSTEM:echo pod${i} $SOCAT_PEERADDR`]);
      await lab.serve(ns(i), ['UDP-RECVFROM:5353,fork', `SYSTEM:echo pod${i} $SOCAT_PEERADDR`]);
    }
    for (const i of pods) await lab.shell(ns(i), 'until ss -Htln | grep -q :8080 && ss -Huln | grep -q :5353; do sleep 0.02; done');
    return lab;
  }

  get node(): string {
    return `${this.prefix}node`;
  }

  get client(): string {
    return `${this.prefix}client`;
  }

  pod(i: number): string {
    return `${this.prefix}pod${i}`;
  }

  /** Runs programs inside a namespace. */
  commands(namespace: string): Commands {
    const enter = (program: string, args: readonly string[]): readonly string[] => ['netns', 'exec', namespace, program, ...args];
    return {
      run: (program: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult> => this.direct.run('ip', enter(program, args), options),
      start: (program: string, args: readonly string[], options: StartOptions): Promise<RunningCommand> => this.direct.start('ip', enter(program, args), options),
      close: () => Promise.resolve(),
    };
  }

  /** What a shell script prints inside a namespace; its exit code does not matter. */
  async shell(namespace: string, script: string): Promise<string> {
    const { stdout, stderr } = await this.commands(namespace).run('sh', ['-c', script]);
    return stdout.toString() + stderr.toString();
  }

  /** The answers to so many connections, one line each; what socat says where one fails. */
  async ask(namespace: string, address: string, times = 1): Promise<readonly string[]> {
    const text = await this.shell(namespace, `i=0; while [ $i -lt ${times} ]; do socat -T2 - TCP:${address},connect-timeout=1 </dev/null 2>&1 | sed 's/.*socat.*E .*: //'; i=$((i+1)); done`);
    return text.split('\n').filter((line) => line !== '');
  }

  /** Starts a program that listens. */
  async serve(namespace: string, args: readonly string[]): Promise<void> {
    this.running.push(await this.commands(namespace).start('socat', args, { stdin: false }));
  }

  async remove(): Promise<void> {
    for (const command of this.running.splice(0)) {
      command.kill('SIGKILL');
      await command.exit;
    }
    const { stdout } = await this.direct.run('ip', ['netns', 'list']);
    const names = stdout.toString().split('\n').map((line) => line.split(' ')[0]!).filter((name) => name.startsWith(this.prefix));
    for (const name of names) await this.direct.run('sh', ['-c', `ip netns pids ${name} | xargs -r kill -9; ip netns delete ${name}`]);
  }

  private async batch(args: readonly string[], lines: readonly string[]): Promise<void> {
    await runChecked(this.direct, 'ip', [...args, '-batch', '-'], { input: `${lines.join('\n')}\n` });
  }
}
