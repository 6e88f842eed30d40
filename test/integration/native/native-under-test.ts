import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { SystemClock, sleep } from '../../../src/base/clock.js';
import { silentLogger } from '../../../src/base/log.js';
import type { Commands } from '../../../src/base/process/commands.js';
import { directCommands } from '../../../src/base/process/direct.js';
import { SystemRandom } from '../../../src/base/random.js';
import type { NodeHost } from '../../../src/node/host.js';
import type { ImageConfig } from '../../../src/node/images/image-store.js';
import { createNativeRuntime, removeHostObjects } from '../../../src/node/runtime/native/index.js';
import type { NodeRuntime } from '../../../src/node/runtime/index.js';
import { BusyboxImages } from './busybox-images.js';
import { LooseNetwork } from './loose-network.js';

/** A native runtime with folders and a cluster id of its own. */
export interface NativeUnderTest {
  readonly runtime: NodeRuntime;
  readonly host: NodeHost;
  readonly images: BusyboxImages;
  readonly network: LooseNetwork;
  readonly commands: Commands;
  /** Lets go of it and makes another over the same folders, as a new run of the program. */
  again(): Promise<NativeUnderTest>;
  pass(milliseconds: number): Promise<void>;
  /** Removes all that it left on the host; resolves with what remains. */
  close(): Promise<readonly string[]>;
}

/** Short, since paths of sockets may have 107 bytes. */
export async function testHost(): Promise<NodeHost> {
  const clusterId = randomBytes(4).toString('hex');
  const folder = await mkdtemp('/tmp/kn-');
  return { clusterId, stateFolder: `${folder}/state`, runFolder: `${folder}/run`, cgroup: `/kube-test-${clusterId}`, interfacePrefix: `k${clusterId}`, tablePrefix: `kube-${clusterId}` };
}

export async function startNative(options: { readonly host?: NodeHost; readonly imageConfig?: Partial<ImageConfig> } = {}): Promise<NativeUnderTest> {
  const host = options.host ?? (await testHost());
  const clock = new SystemClock();
  const commands = directCommands();
  const folder = host.stateFolder.slice(0, -'/state'.length);
  const images = new BusyboxImages(`${folder}/images`, options.imageConfig);
  const network = new LooseNetwork(commands);
  const runtime = createNativeRuntime({ host }, { commands, images, network, clock, random: new SystemRandom(), log: silentLogger });
  await runtime.containers.start!();
  return {
    runtime, host, images, network, commands,
    async again() {
      await runtime.containers.stop!();
      return startNative({ ...options, host });
    },
    pass: (milliseconds) => sleep(clock, milliseconds),
    async close() {
      await runtime.containers.stop!();
      const left = await removeHostObjects(host, { commands, clock, log: silentLogger });
      await commands.close();
      if (!left.some((item) => item.kind === 'mount')) await rm(folder, { recursive: true, force: true });
      return left.map((item) => `${item.kind} ${item.name}`);
    },
  };
}
