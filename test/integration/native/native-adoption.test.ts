import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { jest } from '@jest/globals';
import { build } from 'esbuild';
import { identifyProcess } from '../../../src/base/process/alive.js';
import type { NodeHost } from '../../../src/node/host.js';
import type { RuntimeEvent } from '../../../src/node/runtime/types.js';
import { startNative, testHost, type NativeUnderTest } from './native-under-test.js';

jest.setTimeout(60_000);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp('/tmp/kn-child-');
  await build({ entryPoints: [new URL('adoption-child.ts', import.meta.url).pathname], outfile: `${folder}/child.mjs`, bundle: true, platform: 'node', format: 'esm', external: ['node-pty', '*.node'], logLevel: 'error' });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Child {
  readonly sandbox: string;
  readonly ids: readonly string[];
  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void>;
}

async function child(host: NodeHost, scripts: readonly string[], mode = ''): Promise<Child> {
  const running: ChildProcess = spawn(process.execPath, [`${folder}/child.mjs`, JSON.stringify(host), JSON.stringify(scripts), mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    running.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()).includes('\n') && resolve(text));
    void gone.then(() => reject(new Error('the child ended too early')));
  });
  return {
    ...(JSON.parse(line) as { sandbox: string; ids: string[] }),
    kill: () => {
      running.kill('SIGKILL');
      return gone;
    },
  };
}

async function log(under: NativeUnderTest, id: string): Promise<string> {
  let text = '';
  for await (const chunk of under.runtime.containers.containerLogs(id, { follow: false, timestamps: false, signal: new AbortController().signal })) text += chunk.toString();
  return text;
}

test('after SIGKILL what runs goes on and is taken up, what ended meanwhile is known', async () => {
  const host = await testHost();
  const first = await child(host, ['i=0; while :; do echo $((i++)); sleep 0.05; done', 'sleep 0.5; echo bye > /dev/termination-log; exit 7', 'never', 'exit 3']);
  await first.kill();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const between = Date.now();
  const under = await startNative({ host });
  const { containers } = under.runtime;
  const [running, missed, never, before] = await Promise.all(first.ids.map((id) => containers.containerStatus(id)));
  expect(running).toMatchObject({ state: 'running', name: 'c0', attempt: 0 });
  expect(missed).toMatchObject({ state: 'exited', exitCode: 7, reason: 'Error', message: 'bye\n' });
  expect(missed!.finishedAt).toBeLessThan(between);
  expect(never).toMatchObject({ state: 'created' });
  expect(before).toMatchObject({ state: 'exited', exitCode: 3 });
  expect((await containers.podSandboxStatus(first.sandbox)).state).toBe('ready');
  expect([...under.network.live]).toEqual([first.sandbox]);
  expect((await containers.execSync(first.ids[0]!, ['echo', 'here'], 10)).stdout.toString()).toBe('here\n');
  await under.pass(200);
  const numbers = (await log(under, first.ids[0]!)).trim().split('\n').map(Number);
  expect(numbers).toEqual(numbers.map((_value, index) => index));
  expect(numbers.length).toBeGreaterThan(20);
  await containers.startContainer(first.ids[2]!).catch(() => undefined);
  const events: RuntimeEvent[] = [];
  containers.onEvent((event) => events.push(event));
  await containers.stopContainer(first.ids[0]!, 0);
  expect((await containers.containerStatus(first.ids[0]!)).exitCode).toBe(137);
  const again = await under.again();
  expect(await again.runtime.containers.containerStatus(first.ids[0]!)).toMatchObject({ state: 'exited', exitCode: 137 });
  await again.runtime.containers.removePodSandbox(first.sandbox);
  expect(await again.close()).toEqual([]);
});

test('a container whose monitor was killed is ended, not orphaned', async () => {
  const host = await testHost();
  const first = await child(host, ['sleep 1000']);
  await first.kill();
  const { monitor, init } = JSON.parse(await readFile(`${host.stateFolder}/containers/${first.ids[0]}/record.json`, 'utf8')) as { monitor: { pid: number }; init: { pid: number } };
  process.kill(monitor.pid, 'SIGKILL');
  while ((await identifyProcess(monitor.pid)) !== undefined);
  const under = await startNative({ host });
  expect(await under.runtime.containers.containerStatus(first.ids[0]!)).toMatchObject({ state: 'exited', exitCode: 137 });
  await expect(readFile(`/proc/${init.pid}/cmdline`, 'utf8').catch(() => '')).resolves.toBe('');
  expect(await under.close()).toEqual([]);
});

test('after the machine was started anew sandboxes are not ready and containers have ended for an unknown reason', async () => {
  const host = await testHost();
  const first = await child(host, ['sleep 1000', 'exit 0']);
  await first.kill();
  const before = await startNative({ host });
  await before.runtime.containers.stop!();
  // What a start of the machine takes away: processes, mounts, control groups, the run folder.
  const { commands } = before;
  const record = JSON.parse(await readFile(`${host.stateFolder}/containers/${first.ids[0]}/record.json`, 'utf8')) as { monitor: { pid: number }; init: { pid: number } };
  process.kill(record.monitor.pid, 'SIGKILL');
  process.kill(record.init.pid, 'SIGKILL');
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(host.runFolder));
  await commands.run('umount', ['-l', ...mounts.reverse()]);
  await rm(host.runFolder, { recursive: true, force: true });
  const under = await startNative({ host });
  expect((await under.runtime.containers.podSandboxStatus(first.sandbox)).state).toBe('notready');
  expect(await under.runtime.containers.containerStatus(first.ids[0]!)).toMatchObject({ state: 'exited', exitCode: 255, reason: 'Unknown' });
  expect(await under.runtime.containers.containerStatus(first.ids[1]!)).toMatchObject({ state: 'exited', exitCode: 0, reason: 'Completed' });
  expect([...under.network.live]).toEqual([]);
  await under.runtime.containers.removePodSandbox(first.sandbox);
  expect(await under.close()).toEqual([]);
});

test('SIGKILL at any step leaves nothing half made and nothing without an owner', async () => {
  const host = await testHost();
  for (let round = 0; round < 8; round++) {
    const churning = await child(host, ['sleep 1000'], 'churn');
    await new Promise((resolve) => setTimeout(resolve, 100 + round * 53));
    await churning.kill();
    const under = await startNative({ host });
    const sandboxes = await under.runtime.containers.listPodSandbox();
    const containers = await under.runtime.containers.listContainers();
    const known = new Set([...sandboxes.map((item) => item.id), ...containers.map((item) => item.id)]);
    const ours = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    for (const pid of ours) {
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (words[0]?.endsWith('conmon') && words.some((word) => word.startsWith(host.runFolder))) expect(known).toContain(words[2]);
    }
    for (const name of await readdir(`${host.runFolder}/b`)) expect(known).toContain(name);
    for (const name of await readdir(`${host.stateFolder}/containers`)) expect(known).toContain(name);
    // What has ended was being removed; nothing was lost sight of, nothing failed to start.
    for (const item of containers) if (item.state === 'exited') expect(item).toMatchObject({ exitCode: 137, reason: 'Error' });
    for (const item of containers) expect(item.state).not.toBe('unknown');
    for (const item of sandboxes) if (item.state !== 'ready') expect(containers.filter((one) => one.sandboxId === item.id && one.state === 'running')).toEqual([]);
    await under.runtime.containers.stop!();
  }
  const last = await startNative({ host });
  for (const { id } of await last.runtime.containers.listPodSandbox()) await last.runtime.containers.removePodSandbox(id);
  expect(await readdir(`${host.stateFolder}/containers`)).toEqual([]);
  expect(await readdir(`${host.runFolder}/s`)).toEqual([]);
  await writeFile(`${host.stateFolder}/left`, '');
  expect(await last.close()).toEqual([]);
});
