import type { NodeRuntime } from '../runtime.js';
import { RUNTIME_NOT_FOUND } from '../runtime.js';
import type { ContainerConfig, LogOptions, PodSandboxConfig, RuntimeEvent } from '../types.js';

/** What an implementation can do beyond the contract's core, and how to drive it in a test. */
export interface RuntimeManifest {
  readonly name: string;
  /** Addresses come from the range given by `updateRuntimeConfig`. */
  readonly assignsAddresses: boolean;
  /** Commands can be run in containers. */
  readonly exec: boolean;
  readonly attach: boolean;
  readonly portForward: boolean;
  /** Command that listens on port 80 where that has to be so; default: any command. */
  readonly listener?: readonly string[];
  /** An image that can be pulled and has a shell. */
  readonly image: string;
  /** A runtime with nothing in it. */
  make(): Promise<RuntimeUnderTest> | RuntimeUnderTest;
}

export interface RuntimeUnderTest {
  readonly runtime: NodeRuntime;
  /** Lets so much time pass, real or virtual. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const ALL: Omit<LogOptions, 'signal'> = { follow: false, timestamps: false };

/** Configuration of a sandbox for tests. */
export function testSandbox(uid: string, more: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
  return {
    metadata: { name: `pod-${uid}`, namespace: 'default', uid, attempt: 0 }, hostname: `pod-${uid}`, logDirectory: '', labels: {}, annotations: {}, hostNetwork: false, hostPid: false, hostIpc: false,
    shareProcessNamespace: false, cgroupParent: '', ...more,
  };
}

/** Configuration of a container for tests. */
export function testContainer(image: string, command: readonly string[], more: Partial<ContainerConfig> = {}): ContainerConfig {
  return {
    name: 'app', attempt: 0, kind: 'regular', runsToCompletion: false, image, imageRef: image, command, args: [], workingDir: '', envs: [{ name: 'GREETING', value: 'hello' }], mounts: [], logPath: 'app/0.log',
    stdin: false, stdinOnce: false, tty: false, terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File', specHash: 'h', ...more,
  };
}

/** Registers the tests that every runtime must pass. Needs jest's globals. */
export function runtimeContract(manifest: RuntimeManifest): void {
  describe(`runtime contract: ${manifest.name}`, () => {
    let under: RuntimeUnderTest;
    const containers = (): NodeRuntime['containers'] => under.runtime.containers;
    const ref = (): Promise<string> => under.runtime.images.pullImage(manifest.image);
    const make = async (uid: string, command: readonly string[], more: Partial<ContainerConfig> = {}): Promise<{ readonly sandbox: string; readonly id: string }> => {
      const config = testSandbox(uid);
      const sandbox = await containers().runPodSandbox(config);
      return { sandbox, id: await containers().createContainer(sandbox, testContainer(manifest.image, command, { imageRef: await ref(), ...more }), config) };
    };
    const read = async (id: string, options: Partial<LogOptions> = {}): Promise<string> => {
      let text = '';
      for await (const chunk of containers().containerLogs(id, { ...ALL, signal: new AbortController().signal, ...options })) text += chunk.toString();
      return text;
    };

    beforeEach(async () => {
      under = await manifest.make();
    });
    afterEach(() => under.close());

    test('says who it is and that it is ready', async () => {
      expect((await containers().version()).runtimeName).toMatch(/^[a-z-]+$/);
      expect(await containers().status()).toMatchObject({ runtimeReady: true });
    });

    test('images: pulled ones are present under their name, removed ones are not; removing twice is fine', async () => {
      const { images } = under.runtime;
      const pulled = await images.pullImage(manifest.image);
      expect(pulled).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect(await images.imageStatus(manifest.image)).toMatchObject({ ref: pulled });
      expect((await images.listImages()).some((image) => image.ref === pulled)).toBe(true);
      await images.removeImage(manifest.image);
      await images.removeImage(manifest.image);
      expect(await images.imageStatus(manifest.image)).toBeUndefined();
    });

    test('a sandbox lives from run to remove', async () => {
      const id = await containers().runPodSandbox(testSandbox('a'));
      expect(await containers().podSandboxStatus(id)).toMatchObject({ id, state: 'ready', metadata: { uid: 'a' } });
      expect((await containers().listPodSandbox({ podUid: 'a' })).map((item) => item.id)).toEqual([id]);
      expect(await containers().listPodSandbox({ podUid: 'other' })).toEqual([]);
      await containers().stopPodSandbox(id);
      await containers().stopPodSandbox(id);
      expect((await containers().podSandboxStatus(id)).state).toBe('notready');
      await containers().removePodSandbox(id);
      await containers().removePodSandbox(id);
      await expect(containers().podSandboxStatus(id)).rejects.toMatchObject({ code: RUNTIME_NOT_FOUND });
    });

    if (manifest.assignsAddresses) {
      test('addresses come from the range, are never given twice, and return', async () => {
        await containers().updateRuntimeConfig({ podCidr: '10.9.8.0/29' });
        const ids: string[] = [];
        for (let i = 0; i < 5; i++) ids.push(await containers().runPodSandbox(testSandbox(String(i))));
        const ips = await Promise.all(ids.map(async (id) => (await containers().podSandboxStatus(id)).ips[0]));
        expect([...ips].sort()).toEqual(['10.9.8.2', '10.9.8.3', '10.9.8.4', '10.9.8.5', '10.9.8.6']);
        await expect(containers().runPodSandbox(testSandbox('full'))).rejects.toThrow(/address/i);
        await containers().stopPodSandbox(ids[2]!);
        const again = await containers().runPodSandbox(testSandbox('again'));
        expect((await containers().podSandboxStatus(again)).ips).toEqual([ips[2]]);
      });
    }

    test('a container lives from created to running to exited, with its exit code and times', async () => {
      const { id } = await make('a', ['sh', '-c', 'sleep 1; exit 3']);
      expect(await containers().containerStatus(id)).toMatchObject({ state: 'created', name: 'app', podUid: 'a', startedAt: 0, finishedAt: 0 });
      await containers().startContainer(id);
      expect(await containers().containerStatus(id)).toMatchObject({ state: 'running' });
      await expect(containers().startContainer(id)).rejects.toThrow();
      await under.pass(1500);
      const ended = await containers().containerStatus(id);
      expect(ended).toMatchObject({ state: 'exited', exitCode: 3, reason: 'Error' });
      expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.startedAt);
    });

    test('success is Completed', async () => {
      const { id } = await make('a', ['true']);
      await containers().startContainer(id);
      await under.pass(500);
      expect(await containers().containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 0, reason: 'Completed' });
    });

    test('stopping resolves once the container has exited, and is idempotent', async () => {
      const { id } = await make('a', ['sleep', '1000']);
      await containers().startContainer(id);
      const stopped = containers().stopContainer(id, 2);
      await under.pass(3000);
      await stopped;
      expect((await containers().containerStatus(id)).state).toBe('exited');
      await containers().stopContainer(id, 2);
      await containers().stopContainer('no such id', 0);
    });

    test('stopping a sandbox ends its containers, removing it removes them', async () => {
      const { sandbox, id } = await make('a', ['sleep', '1000']);
      await containers().startContainer(id);
      await containers().stopPodSandbox(sandbox);
      expect((await containers().containerStatus(id)).state).toBe('exited');
      await containers().removePodSandbox(sandbox);
      await expect(containers().containerStatus(id)).rejects.toMatchObject({ code: RUNTIME_NOT_FOUND });
      expect(await containers().listContainers({ podUid: 'a' })).toEqual([]);
    });

    test('lists are newest first and hold what was asked for', async () => {
      const { sandbox, id } = await make('a', ['true']);
      await under.pass(20);
      const second = await containers().createContainer(sandbox, testContainer(manifest.image, ['true'], { attempt: 1, imageRef: await ref() }), testSandbox('a'));
      await make('b', ['true']);
      expect((await containers().listContainers({ podUid: 'a' })).map((item) => [item.id, item.attempt])).toEqual([[second, 1], [id, 0]]);
      expect(await containers().listContainers()).toHaveLength(3);
    });

    test('every step is an event, told after the state has changed', async () => {
      const seen: string[] = [];
      const end = containers().onEvent((event: RuntimeEvent) => void seen.push(`${event.type} ${event.podUid}`));
      const { sandbox, id } = await make('a', ['sleep', '1000']);
      await containers().startContainer(id);
      await under.pass(50);
      const stopped = containers().stopContainer(id, 1);
      await under.pass(2000);
      await stopped;
      await containers().stopPodSandbox(sandbox);
      await under.pass(50);
      expect(seen.filter((text) => !text.startsWith('changed'))).toEqual(['sandbox-ready a', 'created a', 'started a', 'stopped a', 'sandbox-stopped a']);
      end();
      await make('b', ['true']);
      await under.pass(50);
      expect(seen.some((text) => text.endsWith(' b'))).toBe(false);
    });

    test('logs: what was printed, the tail of it, limited, with times, and followed to the end', async () => {
      const { id } = await make('a', ['sh', '-c', 'echo one; sleep 1; echo two; sleep 1; echo three']);
      await containers().startContainer(id);
      await under.pass(1500);
      expect(await read(id)).toBe('one\ntwo\n');
      const followed = read(id, { follow: true, tailLines: 1 });
      for (let i = 0; i < 30; i++) await under.pass(100);
      expect(await followed).toBe('two\nthree\n');
      expect(await read(id, { tailLines: 0 })).toBe('');
      expect(await read(id, { limitBytes: 5 })).toBe('one\nt');
      expect((await read(id, { timestamps: true, tailLines: 1 })).trim()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three$/);
      const started = (await containers().containerStatus(id)).startedAt;
      expect(await read(id, { since: started + 500 })).toBe('two\nthree\n');
    });

    test('a log that is followed ends when the reader gives up', async () => {
      const { id } = await make('a', ['sleep', '1000']);
      await containers().startContainer(id);
      const abort = new AbortController();
      const followed = read(id, { follow: true, signal: abort.signal });
      await under.pass(50);
      abort.abort();
      expect(await followed).toBe('');
    });

    if (manifest.exec) {
      test('commands run in containers, to their end or with streams', async () => {
        const { id } = await make('a', ['sleep', '1000']);
        await expect(containers().execSync(id, ['true'], 0)).rejects.toThrow();
        await containers().startContainer(id);
        const result = await containers().execSync(id, ['sh', '-c', 'echo $GREETING; echo oops >&2; exit 4'], 0);
        expect([result.stdout.toString(), result.stderr.toString(), result.exitCode]).toEqual(['hello\n', 'oops\n', 4]);
        const slow = containers().execSync(id, ['sleep', '100'], 1);
        const failed = expect(slow).rejects.toMatchObject({ code: 'KUBE_RUNTIME_TIMEOUT' });
        await under.pass(1500);
        await failed;
        const session = await containers().exec(id, ['hostname'], { stdin: false, stdout: true, stderr: true, tty: false });
        let output = '';
        for await (const chunk of session.stdout!) output += (chunk as Buffer).toString();
        expect([output, await session.exit]).toEqual(['pod-a\n', 0]);
      });
    }

    if (manifest.attach) {
      test('attaching shows what is printed from then on, and ends with the container', async () => {
        const { id } = await make('a', ['sh', '-c', 'echo before; sleep 1; echo after']);
        await containers().startContainer(id);
        await under.pass(200);
        const session = await containers().attach(id, { stdin: false, stdout: true, stderr: true, tty: false });
        let output = '';
        session.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
        for (let i = 0; i < 30; i++) await under.pass(100);
        await session.exit;
        expect(output).toBe('after\n');
      });
    }

    if (manifest.portForward) {
      test('ports of a sandbox can be reached, of one that is stopped not', async () => {
        const { sandbox, id } = await make('a', manifest.listener ?? ['sleep', '1000']);
        await containers().startContainer(id);
        await under.pass(200);
        const port = await containers().portForward(sandbox, 80);
        expect(port.writable).toBe(true);
        port.destroy();
        await containers().stopPodSandbox(sandbox);
        await expect(containers().portForward(sandbox, 80)).rejects.toThrow();
      });
    }
  });
}
