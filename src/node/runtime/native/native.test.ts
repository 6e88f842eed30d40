import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { testSandbox } from '../testsuite/contract.js';
import { startFailure } from './launch.js';
import { mountsBelow, parseMountInfo } from './mount-table.js';
import { commonFolder, overlayOptions } from './overlay.js';
import { resolvConf, sandboxSysctls } from './sandbox-host.js';
import { signalNumber } from './signals.js';
import { logEnd, terminationMessage } from './termination-message.js';

test('signals as images and pods write them', () => {
  expect(['SIGTERM', 'term', '9', 'SIGRTMIN+3', 'RTMAX-1', 'SIGRTMAX+1', 'nonsense', '0', ''].map(signalNumber)).toEqual([15, 15, 9, 37, 63, 15, 15, 15, 15]);
});

test('mounts below a folder, last one first', () => {
  const table = parseMountInfo('1 0 8:1 / / rw - ext4 /dev/vda rw\n2 1 0:5 / /run/k rw shared:1 - tmpfs t rw\n3 2 0:6 / /run/k/a\\040b rw - overlay o rw\n4 1 0:7 net:[1] /run/kk rw - nsfs nsfs rw\n');
  expect(mountsBelow(table, '/run/k')).toEqual(['/run/k/a b', '/run/k']);
});

test('options of overlayfs', () => {
  expect(commonFolder(['/a/b/c', '/a/b/d/e', '/a/bc'])).toBe('/a');
  expect(overlayOptions(['x:y', 'z'], '/u,1', '/w')).toBe('lowerdir=x\\:y:z,upperdir=/u\\,1,workdir=/w');
});

test('sysctls: either separator, defaults, only what a pod has for itself', () => {
  const of = (name: string): unknown => new Map(sandboxSysctls(testSandbox('u', { securityContext: { sysctls: [{ name, value: '1' }] } })));
  expect(of('net.ipv4.conf.eth0/1.forwarding')).toEqual(new Map([['kernel/hostname', 'pod-u'], ['net/ipv4/ip_unprivileged_port_start', '0'], ['net/ipv4/ping_group_range', '0 2147483647'], ['net/ipv4/conf/eth0.1/forwarding', '1']]));
  expect(of('net/ipv4/ip_unprivileged_port_start')).toContainEqual(['net/ipv4/ip_unprivileged_port_start', '1']);
  for (const name of ['vm.swappiness', 'kernel.panic', 'net/../kernel/panic']) expect(() => of(name)).toThrow('is not namespaced');
  expect(sandboxSysctls(testSandbox('u', { hostNetwork: true }))).toEqual([]);
});

test('resolv.conf', () => {
  expect(resolvConf({ servers: ['1.1.1.1', '8.8.8.8'], searches: [], options: [] })).toBe('nameserver 1.1.1.1\nnameserver 8.8.8.8\n');
});

test('why a container did not start', () => {
  const word = JSON.stringify({ pid: -1, message: 'time="2026-01-01T00:00:00Z" level=error msg="runc create failed: exec: \\"x\\": executable file not found in $PATH"\n' });
  expect(startFailure(word, 'noise')).toBe('OCI runtime create failed: runc create failed: exec: "x": executable file not found in $PATH');
  expect(startFailure('{"pid": 5}\n', 'time="t" level=error msg="cannot start"\n')).toBe('OCI runtime create failed: cannot start');
  expect(startFailure('', 'conmon: not found')).toBe('OCI runtime create failed: conmon: not found');
});

test('termination messages: the end of the file, the end of the log only after a failure', async () => {
  const folder = await mkdtemp('/tmp/message-');
  const file = `${folder}/message`;
  const logPath = `${folder}/log`;
  await writeFile(logPath, '2026-01-01T00:00:00.0+00:00 stdout P half \n2026-01-01T00:00:00.0+00:00 stdout F whole\n2026-01-01T00:00:00.0+00:00 stderr F last\n');
  const message = (policy: string, exitCode: number): Promise<string> => terminationMessage({ file, policy, logPath, exitCode });
  expect(await message('File', 1)).toBe('');
  expect(await message('FallbackToLogsOnError', 0)).toBe('');
  expect(await message('FallbackToLogsOnError', 1)).toBe('half whole\nlast\n');
  await writeFile(file, `x${'é'.repeat(3000)}`);
  expect(await message('FallbackToLogsOnError', 1)).toBe('é'.repeat(2048));
  expect(Buffer.byteLength(logEnd(`t stdout F ${'a'.repeat(5000)}\n`))).toBe(2048);
  await rm(folder, { recursive: true });
});
