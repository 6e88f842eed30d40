import { jest } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type ExecutableCluster } from '../../harness/executable.js';
import { startNative } from '../../harness/native.js';
import { manifest, OVER_SPDY, startApplication, startKubectl, startKubectlInTerminal, VERSIONS } from './kubectl-process.js';

jest.setTimeout(180_000);

let cluster: ExecutableCluster;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-streams-'));
  cluster = await startNative();
  await startApplication(cluster);
  await cluster.kubectl(`apply -f ${manifest('streams')}`);
  await cluster.kubectl('wait -n shop pod/reader --for=condition=Ready --timeout=60s');
});
afterAll(async () => {
  await cluster.remove();
  await rm(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Asks each of the two replicas by its own address. */
async function visitAll(path: string): Promise<void> {
  const ips = (await cluster.kubectl('get pods -n shop -l app=web -o jsonpath={.items[*].status.podIP}')).split(' ');
  for (const ip of ips) await cluster.kubectl(['exec', '-n', 'shop', 'client', '--', 'curl', '-s', `http://${ip}/${path}`]);
}

describe.each(VERSIONS)('kubectl 1.%i', (version) => {
  const kubectl = (args: readonly string[], options: { readonly input?: string; readonly fails?: boolean; readonly environment?: Readonly<Record<string, string>> } = {}): Promise<string> =>
    cluster.kubectl(args, { version, ...options });
  const transports = [['WebSockets', {}], ['SPDY', OVER_SPDY]] as const;

  test.concurrent('logs of a selection follow both replicas, named, and from a time on', async () => {
    await visitAll(`early-${version}`);
    const following = startKubectl(cluster, ['logs', '-n', 'shop', '-f', '--prefix', '--since=10m', '-l', 'app=web'], { version });
    try {
      await visitAll(`late-${version}`);
      const prefix = new RegExp(`^\\[(pod/web-[^/]+/nginx)\\] .*GET /late-${version} `, 'gm');
      await eventually(async () => new Set([...following.text().matchAll(prefix)].map((match) => match[1])).size === 2, 'lines of both replicas');
      expect(following.text()).toContain(`/early-${version} `);
    } finally {
      await following.kill();
    }
    const since = async (span: string): Promise<string> => kubectl(['logs', '-n', 'shop', '-l', 'app=web', '--tail=-1', `--since=${span}`]);
    await eventually(async () => !(await since('2s')).includes(`/early-${version} `), 'old lines are left out');
    expect(await since('1h')).toContain(`/early-${version} `);
    expect((await kubectl(['logs', '-n', 'shop', 'deployment/web', '--tail=1'])).trim().split('\n').filter((line) => !line.startsWith('Found 2 pods'))).toHaveLength(1);
    expect(await kubectl(['logs', '-n', 'shop', 'job/migrate', '--timestamps'])).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-][\d:]+) migrated$/m);
    expect(await kubectl(['logs', '-n', 'shop', 'client', '-c', 'nothing'], { fails: true })).toContain('container nothing is not valid for pod client');
    expect(await kubectl(['logs', '-n', 'shop', 'client', '--previous'], { fails: true })).toContain('previous terminated container "client" in pod "client" not found');
  });

  test.concurrent.each(transports)('exec in a real terminal over %s: size, changes of it, exit code', async (_name, environment) => {
    const terminal = startKubectlInTerminal(cluster, ['exec', '-it', '-n', 'shop', 'client', '--', 'sh'], { version, environment });
    try {
      await terminal.shows(/# /);
      await eventually(async () => {
        terminal.write('stty size\n');
        return terminal.text().includes('24 80');
      }, 'the size of the terminal');
      terminal.resize(132, 40);
      await eventually(async () => {
        terminal.write('stty size\n');
        return terminal.text().includes('40 132');
      }, 'the new size of the terminal');
      terminal.write('tty; echo $((6 * 7))\n');
      await terminal.shows(/\/dev\/pts\/\d+\s+42\s/);
      // Ctrl-C reaches the program and not the connection.
      terminal.write('sleep 1000\n');
      await terminal.shows(/sleep 1000\s/);
      terminal.write('\x03');
      terminal.write('exit 7\n');
      expect(await terminal.ended).toBe(7);
    } finally {
      await terminal.kill();
    }
  });

  test.concurrent.each(transports)('exec without a terminal over %s: streams apart, input to its end, exit codes', async (_name, environment) => {
    const input = randomBytes(2 << 20).toString('hex');
    expect(await kubectl(['exec', '-i', '-n', 'shop', 'client', '--', 'sha256sum'], { input, environment })).toBe(`${sha256(Buffer.from(input))}  -\n`);
    expect(await kubectl(['exec', '-n', 'shop', 'client', '--', 'sh', '-c', 'echo out; echo err >&2'], { environment })).toBe('out\n');
    expect(await kubectl(['exec', '-n', 'shop', 'client', '-c', 'client', '--', 'sh', '-c', 'echo err >&2; exit 3'], { environment, fails: true })).toBe('err\ncommand terminated with exit code 3\n');
    expect(await kubectl(['exec', '-n', 'shop', 'client', '--', 'no-such-program'], { environment, fails: true })).toContain('exec: "no-such-program": executable file not found in $PATH');
    expect(await kubectl(['exec', '-n', 'shop', 'deployment/web', '--', 'cat', '/password/password'], { environment })).toBe('opensesame');
  });

  test.concurrent.each(transports)('attach over %s reaches the process of the container', async (name, environment) => {
    const word = `${name}-${version}`;
    const piped = startKubectl(cluster, ['attach', '-i', '-n', 'shop', 'reader', '-c', 'pipe'], { version, environment });
    const terminal = startKubectlInTerminal(cluster, ['attach', '-it', '-n', 'shop', 'reader', '-c', 'terminal'], { version, environment });
    try {
      // What is written before the container's streams are joined is not lost.
      piped.write(`${word}\n`);
      await piped.shows(new RegExp(`^out-${word}$`, 'm'));
      await piped.shows(new RegExp(`^err-${word}$`, 'm'));
      terminal.write(`echo $((40 + 2))-${word}\n`);
      await terminal.shows(new RegExp(`42-${word}\\s`));
    } finally {
      await Promise.all([piped.kill(), terminal.kill()]);
    }
    await eventually(async () => (await kubectl(['logs', '-n', 'shop', 'reader', '-c', 'pipe'])).includes(`out-${word}`), 'the log has it too');
  });

  test.concurrent('cp of 30 MB both ways', async () => {
    const bytes = randomBytes(30 << 20);
    const [there, back] = [join(folder, `there-${version}`), join(folder, `back-${version}`)];
    await writeFile(there, bytes);
    await kubectl(['cp', '-n', 'shop', there, `client:/tmp/copied-${version}`]);
    expect(await kubectl(['exec', '-n', 'shop', 'client', '--', 'sha256sum', `/tmp/copied-${version}`])).toContain(sha256(bytes));
    await kubectl(['cp', '-n', 'shop', `client:/tmp/copied-${version}`, back]);
    expect(sha256(await readFile(back))).toBe(sha256(bytes));
    await kubectl(['exec', '-n', 'shop', 'client', '--', 'rm', `/tmp/copied-${version}`]);
  });

  describe.each(transports)('port-forward over %s', (_name, environment) => {
    test.concurrent.each(['pod', 'deployment', 'service'])('to a %s', async (kind) => {
      const target = kind === 'pod' ? (await kubectl(['get', 'pods', '-n', 'shop', '-l', 'app=web', '-o', 'name'])).split('\n')[0]! : `${kind}/web`;
      const forwarding = startKubectl(cluster, ['port-forward', '-n', 'shop', target, kind === 'service' ? ':http' : ':80'], { version, environment });
      try {
        const [, port] = await forwarding.shows(/Forwarding from 127\.0\.0\.1:(\d+) -> 80/);
        const answers = await Promise.all(Array.from({ length: 8 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text()));
        expect(new Set(answers).size).toBe(1);
        expect(answers[0]).toMatch(/^web-/);
      } finally {
        await forwarding.kill();
      }
    });

    test.concurrent('a port that nobody listens on is told', async () => {
      const forwarding = startKubectl(cluster, ['port-forward', '-n', 'shop', 'pod/client', ':9'], { version, environment });
      try {
        const [, port] = await forwarding.shows(/Forwarding from 127\.0\.0\.1:(\d+) -> 9/);
        await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
        await forwarding.shows(/an error occurred forwarding \d+ -> 9: error forwarding port 9 to pod [\s\S]*connection refused/i);
      } finally {
        await forwarding.kill();
      }
    });
  });

  test.concurrent('debug: a container beside another one, and in a copy of the pod', async () => {
    const [beside, copy] = [`beside-${version}`, `copy-${version}`];
    const terminal = startKubectlInTerminal(cluster, ['debug', '-it', '-n', 'shop', 'client', '--image=kube.test/busybox:1', '--target=client', '-c', beside, '--profile=general', '--', 'sh'], { version });
    try {
      await eventually(async () => {
        terminal.write('\n');
        return /# /.test(terminal.text());
      }, 'a prompt');
      terminal.write('ps -o pid,args | head -3; hostname\n');
      await terminal.shows(/1 sleep infinity[\s\S]*client\s/);
      terminal.write('exit 5\n');
      await terminal.ended;
    } finally {
      await terminal.kill();
    }
    const ended = `jsonpath={.status.ephemeralContainerStatuses[?(@.name=="${beside}")].state.terminated.exitCode}`;
    await eventually(async () => (await kubectl(['get', 'pod', 'client', '-n', 'shop', '-o', ended])) === '5', 'the end of the ephemeral container');
    await kubectl(['debug', '-n', 'shop', 'client', `--copy-to=${copy}`, '--image=kube.test/busybox:1', '-c', 'look', '--share-processes', '--profile=general', '--', 'sh', '-c', 'until ps -o args | grep -v grep | grep "sleep infinity"; do sleep 0.1; done']);
    await eventually(async () => (await kubectl(['logs', '-n', 'shop', copy, '-c', 'look'])).includes('sleep infinity'), 'the other container is seen');
    await kubectl(['delete', 'pod', '-n', 'shop', copy, '--grace-period=1']);
  });

  test.concurrent('run --rm -it', async () => {
    const name = `once-${version}`;
    const terminal = startKubectlInTerminal(cluster, ['run', name, '-n', 'shop', '--rm', '-it', '--image=kube.test/busybox:1', '--restart=Never', '--', 'sh'], { version });
    try {
      await eventually(async () => {
        terminal.write('\n');
        return /# /.test(terminal.text());
      }, 'a prompt');
      terminal.write('echo $((40 + 2)) from $HOSTNAME; exit 4\n');
      await terminal.shows(new RegExp(`42 from ${name}\\s`));
      expect(await terminal.ended).toBe(4);
      expect(terminal.text()).toContain(`pod "${name}" deleted`);
    } finally {
      await terminal.kill();
    }
    expect(await kubectl(['get', 'pod', '-n', 'shop', name], { fails: true })).toContain('NotFound');
  });
});
