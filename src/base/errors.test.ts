import { errorCode, errorMessage, KubeError } from './errors.js';

test('a KubeError keeps its code', () => {
  const error = new KubeError('KUBE_X', 'went wrong');
  expect(errorCode(error)).toBe('KUBE_X');
  expect(errorMessage(error)).toBe('went wrong');
  expect(errorMessage('plain')).toBe('plain');
});
