import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWinstonLog } from './log-winston.js';

async function logged(format: 'text' | 'json'): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'log-'));
  const file = join(folder, 'kube.log');
  const log = createWinstonLog({ format, file, level: 'info' });
  log.debug('not written');
  log.child({ component: 'scheduler' }).info('pod bound', { pod: 'a b', node: 'n1', tries: 2 });
  log.error('failed', { error: new Error('why') });
  await log.close();
  const text = await readFile(file, 'utf8');
  await rm(folder, { recursive: true });
  return text.trimEnd().split('\n');
}

test('a text line has the time, the level, the constant message and the values; no colours in files', async () => {
  const [first] = await logged('text');
  expect(first).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}pod bound component=scheduler pod="a b" node=n1 tries=2$/);
});

test('a JSON line is one document, errors with their stack', async () => {
  const lines = await logged('json');
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'info', message: 'pod bound', component: 'scheduler', pod: 'a b', tries: 2 });
  expect((JSON.parse(lines[1]!) as { error: string }).error).toContain('Error: why');
  expect(lines).toHaveLength(2);
});
