import { EventEmitter, getMaxListeners } from 'node:events';
import { parseRequestInfo } from '../handler/parse-request-info.js';
import { simpleUser } from '../authn/users.js';
import type { AnyRequest, AnyResponse } from './connection-identity.js';
import { HttpApiRequest } from './http-api-request.js';

const query = new URLSearchParams();
const requestWith = (response: object): HttpApiRequest => new HttpApiRequest({} as AnyRequest, response as AnyResponse, parseRequestInfo('GET', '/api', query), query, simpleUser('jane', []));

test('the signal tells that the client is gone, also to those who ask late', () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false });
  const { signal } = requestWith(response);
  expect(signal.aborted).toBe(false);
  response.emit('close');
  expect(signal.aborted).toBe(true);
  expect(requestWith({ destroyed: true }).signal.aborted).toBe(true);
  expect(requestWith({ stream: { destroyed: true } }).signal.aborted).toBe(true);
});

test('very many may wait for it', () => {
  expect(getMaxListeners(requestWith(new EventEmitter()).signal)).toBe(Infinity);
});
