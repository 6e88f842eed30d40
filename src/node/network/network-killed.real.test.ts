import { rm } from 'node:fs/promises';
import { createPodNetwork } from './index.js';
import type { Commands } from '../../base/process/commands.js';
import type { PodNetwork } from './pod-network.js';
import { sysctlFile } from './sysctls.js';
import { networkRequest, NetworkLab } from './testsuite/lab.js';

const A = 'aaaaaa11';
/** Real programs on a machine that may be busy. */
const PATIENCE = 120_000;
const REQUEST = { portMappings: [{ protocol: 'UDP', containerPort: 80, hostPort: 8080, hostIp: '' }], annotations: { 'kubernetes.io/ingress-bandwidth': '1M' } };

/** Commands of a process that is killed after so many programs: nothing happens any more, and nobody waits for it. */
function killedAfter(commands: Commands, programs: number): { readonly commands: Commands; readonly killed: Promise<void> } {
  let left = programs;
  let die = (): void => undefined;
  const killed = new Promise<void>((resolve) => (die = resolve));
  return {
    killed,
    commands: { ...commands, run: (program, args, options) => {
      if (left-- > 0) return commands.run(program, args, options);
      die();
      return new Promise(() => undefined);
    } },
  };
}

describe('a pod network that is killed at any point', () => {
  let lab: NetworkLab;
  const make = async (commands: Commands, live: readonly string[]): Promise<PodNetwork> => {
    const network = createPodNetwork({ host: lab.host(), clusterCidr: '10.9.0.0/16', serviceClusterIpRange: '10.96.0.0/16', cni: 'never' }, { ...lab.tools(), commands });
    await network.start(new Set(live));
    await network.setPodCidr('10.9.8.0/30');
    return network;
  };

  /** A lock is taken over from a process that is gone; the one of this test is not. */
  const unlock = (): Promise<void> => rm(`${sysctlFile(lab.host())}.lock`, { force: true });

  beforeEach(async () => {
    lab = await NetworkLab.make();
  });
  afterEach(() => lab.close());

  test('the next start leaves nothing of a sandbox that is gone, and gives its only address again', async () => {
    const namespace = await lab.pod('a');
    const clean = await make(lab.commands(), []).then(() => lab.snapshot());
    let finished = 0;
    // Programs of a start, an attach and a detach together are fewer.
    for (let programs = 9; programs < 24 && finished < 2; programs++) {
      const { commands, killed } = killedAfter(lab.commands(), programs);
      const life = (async () => {
        const network = await make(commands, []);
        await network.attach(networkRequest(A, namespace, REQUEST));
        await network.detach(A);
        finished++;
      })();
      await Promise.race([killed, life]);
      await unlock();
      const next = await make(lab.commands(), []);
      expect(await lab.snapshot()).toEqual(clean);
      await next.attach(networkRequest('bbbbbb22', namespace, REQUEST));
      await next.detach('bbbbbb22');
    }
    expect(finished).toBeGreaterThan(0);
  }, PATIENCE);

  test('the next start keeps a sandbox that lives, or has nothing of it', async () => {
    const namespace = await lab.pod('a');
    let finished = 0;
    // The first program runs before the lock is taken.
    for (let programs = 1; programs < 24 && finished === 0; programs++) {
      const network = await make(lab.commands(), []);
      await network.attach(networkRequest(A, namespace, REQUEST));
      const { commands, killed } = killedAfter(lab.commands(), programs);
      const life = (async () => {
        const second = await make(commands, [A]);
        await second.detach(A);
        finished++;
      })();
      await Promise.race([killed, life]);
      await unlock();
      const next = await make(lab.commands(), [A]);
      expect(next.attached(A)).toEqual(finished > 0 ? undefined : { ips: ['10.9.8.2'] });
      const rules = await lab.sh('host', 'nft list ruleset');
      if (finished === 0) {
        expect(rules).toContain('udp . 8080 : 10.9.8.2 . 80');
        expect(await lab.sh('a', 'ip route')).toContain('default via 169.254.1.1 dev eth0');
      } else expect(rules).not.toContain('8080');
      await next.detach(A);
    }
    expect(finished).toBe(1);
  }, PATIENCE);
});
