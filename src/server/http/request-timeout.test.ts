import { StatusError } from '../../api/status-error.js';
import { requestTimeout } from './request-timeout.js';

function of(text: string): number | string | undefined {
  try {
    return requestTimeout(new URLSearchParams({ timeout: text }));
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 400) throw error;
    return error.message.replace('invalid timeout specified in the request URL - time: ', '');
  }
}

test('durations are milliseconds; none, zero and less mean the limit of the server', () => {
  expect(requestTimeout(new URLSearchParams())).toBeUndefined();
  expect(['', '0', '0s', '-5s', '3m', '1.5s', '1h1ms'].map(of)).toEqual([undefined, undefined, undefined, undefined, 180_000, 1_500, 3_600_001]);
});

test('what is no duration is told in the words of Go', () => {
  expect(['invalid', '5', '5x', '1s2', '1sx', '-', '1d3h'].map(of)).toEqual([
    'invalid duration "invalid"',
    'missing unit in duration "5"',
    'unknown unit "x" in duration "5x"',
    'missing unit in duration "1s2"',
    'unknown unit "sx" in duration "1sx"',
    'invalid duration "-"',
    'unknown unit "d" in duration "1d3h"',
  ]);
});
