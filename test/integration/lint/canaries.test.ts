import { jest } from '@jest/globals';
import { ESLint } from 'eslint';
import { join } from 'node:path';

jest.setTimeout(120_000);

const root = join(import.meta.dirname, '../../..');

/** Rules that the text of an existing file would break if it stood there. */
async function broken(file: string, text: string): Promise<string[]> {
  const eslint = new ESLint({ cwd: root });
  const [result] = await eslint.lintText(text, { filePath: join(root, file) });
  return result!.messages.map((message) => message.ruleId ?? `fatal: ${message.message}`);
}

const LAYERS = 'boundaries/dependencies';

describe('the import table is enforced', () => {
  test.each([
    ['a value from a sibling role', "import { createApiServer } from '../server/index.js';\nexport const x = createApiServer;\n"],
    ['a type from a sibling role', "import type { ApiServer } from '../server/index.js';\nexport type X = ApiServer;\n"],
    ['a dynamic import', "export const x = () => import('../server/index.js');\n"],
    ['a re-export', "export { createApiServer } from '../server/index.js';\n"],
    ['a file behind the door of a layer that may be imported', "import { createWorkQueue } from '../reconcile/queue/work-queue.js';\nexport const x = createWorkQueue;\n"],
  ])('%s', async (_form, text) => {
    expect(await broken('src/scheduler/index.ts', text)).toContain(LAYERS);
  });

  test('an import type in a type position', async () => {
    expect(await broken('src/scheduler/index.ts', "export type X = import('../server/index.js').ApiServer;\n")).toContain('@typescript-eslint/consistent-type-imports');
  });

  test('a layer below does not import one above', async () => {
    expect(await broken('src/base/clock.ts', "import { Quantity } from '../api/quantity.js';\nexport const x = Quantity;\n")).toContain(LAYERS);
    expect(await broken('src/storage/index.ts', "import { Quantity } from '../api/quantity.js';\nexport const x = Quantity;\n")).toContain(LAYERS);
  });

  test('what is allowed passes', async () => {
    const text = "import { createWorkQueue } from '../reconcile/index.js';\nimport { Quantity } from '../api/quantity.js';\nexport const x = [createWorkQueue, Quantity];\n";
    expect(await broken('src/scheduler/index.ts', text)).toEqual([]);
  });
});

describe('determinism and safety are enforced', () => {
  test.each([
    ['the wall clock', 'export const x = Date.now();\n', 'no-restricted-properties'],
    ['a date of now', 'export const x = new Date();\n', 'no-restricted-syntax'],
    ['a timer', 'setTimeout(() => undefined, 1);\nexport {};\n', 'no-restricted-globals'],
    ['randomness', 'export const x = Math.random();\n', 'no-restricted-properties'],
    ['a child process', "import { spawn } from 'node:child_process';\nexport const x = spawn;\n", 'no-restricted-imports'],
    ['the end of the process', 'process.exit(1);\nexport {};\n', 'no-restricted-properties'],
    ['a floating promise', 'export function f(): void {\n  Promise.resolve(1);\n}\n', '@typescript-eslint/no-floating-promises'],
    ['any', 'export const x: any = 1;\n', '@typescript-eslint/no-explicit-any'],
  ])('%s', async (_what, text, rule) => {
    expect(await broken('src/scheduler/index.ts', text)).toContain(rule);
  });
});
