import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessSettings } from './access-settings.js';
import { COMMANDS } from './commands/index.js';
import { readConfigFile } from './config-file.js';
import type { FlagValues } from './flags.js';
import { parseArguments } from './parse.js';

test.each([
  [['wrong'], 'Unknown command: wrong; see kube --help'],
  [['wrong', '-o', 'json'], 'Unknown command: wrong; see kube --help'],
  [['help', 'wrong'], 'Unknown command: wrong; see kube --help'],
  [['run', 'some'], 'Unknown command: run some; see kube --help'],
  [['run', 'all', '--wrong'], 'Unknown argument: wrong; see kube run all --help'],
  [['stop', 'now'], 'Unknown argument: now; see kube stop --help'],
  [['stop', '--data-dir'], '--data-dir: its value is missing; see kube stop --help'],
  [['stop', '-o'], '-o: its value is missing; see kube stop --help'],
  [['run', 'all', '--help=x'], '--help: it takes no value'],
  [['run', 'all', '-h=x'], '-h: it takes no value'],
  [['stop', '--keep-pods=yes'], '--keep-pods: "yes" is neither true nor false'],
  [['server', '--no-anonymous-auth=1'], '--no-anonymous-auth: "1" is neither true nor false'],
  [['image', 'import'], 'FILE is missing; see kube image import --help'],
  [['node', 'list', '--node-name', 'one'], 'Unknown argument: node-name; see kube node list --help'],
])('%j says what is wrong and where to look', async (argv, message) => {
  await expect(parseArguments(argv, COMMANDS, '1')).rejects.toThrow(message);
});

test.each([
  [['help'], 'kube run          Run a whole cluster in this process: kube run all'],
  [['help'], 'kube node         Run a node agent alone; see also: kube node list'],
  [['help', 'stop'], 'kube stop\n'],
  [['help', 'run', 'all'], '--detach'],
  [['help', 'image'], 'kube image prune'],
])('%j is the word for --help', async (argv, text) => {
  const answer = await parseArguments(argv, COMMANDS, '1');
  expect(answer).toEqual({ type: 'text', text: expect.stringContaining(text) });
  expect(answer).toEqual(await parseArguments([...argv.slice(1), '--help'], COMMANDS, '1'));
});

test.each([['--anonymous-auth=false'], ['--anonymous-auth=true --anonymous-auth=false'], ['--no-anonymous-auth']])('%s turns a switch off', async (argument) => {
  const parsed = await parseArguments(['server', ...argument.split(' ')], COMMANDS, '1');
  expect(parsed).toMatchObject({ type: 'run', given: { 'anonymous-auth': false } });
});

test('all operands count, and of a flag the last value', async () => {
  const parsed = await parseArguments(['image', 'import', 'a', 'b', 'c', '--data-dir', '/x', '--data-dir', '/y', '-o', 'text', '-o', 'json'], COMMANDS, '1');
  expect(parsed).toMatchObject({ operands: ['a', 'b', 'c'], given: { 'data-dir': '/y', output: 'json' } });
});

test.each<[FlagValues, string]>([
  [{ 'requestheader-username-headers': ['X-Remote-User'] }, '--requestheader-username-headers needs --requestheader-client-ca-file'],
  [{ 'requestheader-allowed-names': ['front'] }, '--requestheader-allowed-names needs --requestheader-client-ca-file'],
  [{ 'requestheader-client-ca-file': 'ca.crt', 'requestheader-uid-headers': ['X-Uid'] }, '--requestheader-uid-headers must have X-Remote-Uid among them'],
])('flags about proxies in front: %j', (flags, message) => {
  expect(() => accessSettings(flags)).toThrow(message);
  expect(accessSettings({ 'requestheader-client-ca-file': 'ca.crt' }).requestHeader).toMatchObject({ clientCaFile: 'ca.crt', usernameHeaders: [] });
});

test('all roles share a configuration file, and a section sets only what its role has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-config-'));
  const file = join(folder, 'kube.yaml');
  const flags = COMMANDS.find(({ name }) => name === 'node')!.flags;
  await writeFile(file, 'dataDir: /d\nserver: {securePort: 0}\nscheduler: {leader-elect: false}\nnode: {simulatedNodes: 3}\n');
  await expect(readConfigFile(file, flags)).resolves.toMatchObject({ common: { 'data-dir': '/d' }, sections: { node: { 'simulated-nodes': 3 } } });
  await writeFile(file, 'node: {securePort: 0}\n');
  await expect(readConfigFile(file, flags)).rejects.toThrow('node.securePort is not a setting of this section');
  await rm(folder, { recursive: true });
});
