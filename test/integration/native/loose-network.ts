import type { AttachedNetwork, NetworkRequest, PodNetwork } from '../../../src/node/network/pod-network.js';
import { KubeError } from '../../../src/base/errors.js';
import type { Commands } from '../../../src/base/process/commands.js';
import { runChecked } from '../../../src/base/process/run-checked.js';

/** A pod network that only gives addresses and a loopback interface: nothing is put on the host. */
export class LooseNetwork implements PodNetwork {
  readonly requests: NetworkRequest[] = [];
  live: ReadonlySet<string> = new Set();
  private readonly given = new Map<string, string>();
  private cidr = '10.77.0.0/24';

  constructor(private readonly commands: Commands) {}

  start(live: ReadonlySet<string>): Promise<void> {
    this.live = live;
    return Promise.resolve();
  }

  setPodCidr(podCidr: string): Promise<void> {
    this.cidr = podCidr;
    return Promise.resolve();
  }

  async attach(request: NetworkRequest): Promise<AttachedNetwork> {
    this.requests.push(request);
    await runChecked(this.commands, 'nsenter', [`--net=${request.namespacePath}`, 'ip', 'link', 'set', 'lo', 'up']);
    const [base, bits] = this.cidr.split('/');
    const [a, b, c, d] = base!.split('.').map(Number);
    const taken = new Set(this.given.values());
    for (let last = 2; last < 2 ** (32 - Number(bits)) - 1; last++) {
      const ip = `${a}.${b}.${c}.${d! + last}`;
      if (taken.has(ip)) continue;
      this.given.set(request.sandboxId, ip);
      return { ips: [ip] };
    }
    throw new KubeError('KUBE_TEST_NETWORK', `no address is left in ${this.cidr}`);
  }

  detach(sandboxId: string): Promise<void> {
    this.given.delete(sandboxId);
    return Promise.resolve();
  }

  attached(sandboxId: string): AttachedNetwork | undefined {
    const ip = this.given.get(sandboxId);
    return ip === undefined ? undefined : { ips: [ip] };
  }

  repair(): Promise<boolean> {
    return Promise.resolve(false);
  }

  status(): { readonly ready: boolean; readonly message: string } {
    return { ready: true, message: '' };
  }
}
