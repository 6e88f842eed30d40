import { yamlThreadSource } from '../../../scripts/carried-programs.mjs';
import { decodeYaml } from '../../api/codec/decode-yaml.js';
import { encodeYaml } from '../../api/codec/encode-yaml.js';
import { FakeClock } from '../../base/clock.js';
import { Yaml } from './yaml.js';

const yaml = new Yaml(new FakeClock(), await yamlThreadSource());
afterAll(() => yaml.close());

const long = { kind: 'ConfigMap', data: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key${i}`, i % 3 ? `text ${i}: é "x"` : 'y'])), numbers: [1, 1.5, -3, 1e21, null, true] };

async function read(text: string): Promise<unknown> {
  const answer = await yaml.readAhead(Buffer.from(text));
  return answer && ('wrong' in answer ? answer : { ...answer, json: JSON.parse(Buffer.from(answer.json).toString()) as unknown });
}

test('long YAML is read in the thread, as it is read here', async () => {
  const text = encodeYaml(long);
  expect(await read(text.toString())).toEqual({ json: decodeYaml(text).value });
  const repeated = `${text.toString()}\nkind: Pod\n__proto__: {a: 1}\n`;
  const { value, strictErrors } = decodeYaml(Buffer.from(repeated));
  expect(await read(repeated)).toEqual({ json: JSON.parse(JSON.stringify(value)) as unknown, strictErrors });
  expect(strictErrors).toEqual([expect.stringContaining('already set in map')]);
  expect(await read(`${text.toString()}\n  a: [`)).toEqual({ wrong: expect.stringMatching(/^yaml: line \d+: /) as string });
});

test('short YAML is only read in the thread when aliases may make it long; JSON never is', async () => {
  expect(await read('a: 1\nb: "*"\n')).toBeUndefined();
  expect(await read(JSON.stringify({ ...long, numbers: [1], more: '& *' }))).toBeUndefined();
  expect(await read('a: &x [1, 2]\nb: [*x, *x]\n')).toEqual({ json: { a: [1, 2], b: [[1, 2], [1, 2]] } });
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 9 }, () => `*a${i}`).join(', ')}]`);
  expect(await read(`a0: &a0 [x, x, x, x, x, x, x, x, x]\n${levels.join('\n')}\n`)).toEqual({ wrong: 'yaml: document contains excessive aliasing' });
  expect(await read(`a: &a ${'x'.repeat(100_000)}\nb: [${Array.from({ length: 100 }, () => '*a').join(', ')}]\n`)).toEqual({ wrong: 'yaml: document contains excessive aliasing' });
});

test('long and short objects are written alike', async () => {
  for (const object of [long, { kind: 'Pod', metadata: { name: 'é', labels: {} } }]) expect(await yaml.write(Buffer.from(JSON.stringify(object)))).toEqual(encodeYaml(object));
});

test('what the thread cannot do is told', async () => {
  const broken = new Yaml(new FakeClock(), 'process.exit(1)');
  await expect(broken.readAhead(encodeYaml(long))).rejects.toMatchObject({ code: 413, message: expect.stringContaining('the YAML could not be read') as string });
  await expect(broken.write(Buffer.from(JSON.stringify(long)))).rejects.toMatchObject({ code: 500 });
  await broken.close();
});
