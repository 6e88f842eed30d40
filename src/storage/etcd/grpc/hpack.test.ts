import { expect, test } from '@jest/globals';
import { decodeHeaders, encodeHeaders } from './hpack.js';

test('header fields come back as they were, whatever their length', () => {
  const fields = [['a', ''], ['b', 'x'.repeat(126)], ['c', 'x'.repeat(127)], ['d', 'x'.repeat(20_000)]] as const;
  expect([...decodeHeaders(encodeHeaders(fields))]).toEqual(fields);
});

test('the examples of RFC 7541 that need no table', () => {
  // C.2.2, C.2.3, C.2.4: literal fields; C.4.1: Huffman-coded, with entries of the static table.
  expect([...decodeHeaders(Buffer.from('040c2f73616d706c652f70617468', 'hex'))]).toEqual([[':path', '/sample/path']]);
  expect([...decodeHeaders(Buffer.from('100870617373776f726406736563726574', 'hex'))]).toEqual([['password', 'secret']]);
  expect([...decodeHeaders(Buffer.from('82', 'hex'))]).toEqual([[':method', 'GET']]);
  expect([...decodeHeaders(Buffer.from('20828684418cf1e3c2e5f23a6ba0ab90f4ff', 'hex'))]).toEqual([[':method', 'GET'], [':scheme', 'http'], [':path', '/'], [':authority', 'www.example.com']]);
});

test('blocks that end too early, refer to what is not there or are coded wrongly are refused', () => {
  for (const block of ['be', 'ff', '0005', '000561', '418cf1e3', '4183000000', '41ff', '40ffffffffffff7f', '0082ffff01']) expect(() => decodeHeaders(Buffer.from(block, 'hex'))).toThrow(RangeError);
});
