import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { errorCode, errorMessage, fileFailure, KubeError } from './errors.js';

test('a KubeError keeps its code', () => {
  const error = new KubeError('KUBE_X', 'went wrong');
  expect(errorCode(error)).toBe('KUBE_X');
  expect(errorMessage(error)).toBe('went wrong');
  expect(errorMessage('plain')).toBe('plain');
});

test('why a file cannot be read is said in words', async () => {
  const failure = async (path: string): Promise<string> => fileFailure(await readFile(path).catch((error: unknown) => error));
  expect(await failure('/nowhere/at/all')).toBe('there is no such file');
  expect(await failure(tmpdir())).toBe('it is a folder');
  expect(fileFailure(new Error('other'))).toBe('other');
});
