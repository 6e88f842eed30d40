import type { V1ConfigMap, V1Secret } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { configMap } from './config-map.js';
import { secret } from './secret.js';

const opaque: V1Secret = { metadata: { name: 's', namespace: 'default' }, data: { a: 'b25l' } };
const stored = created(secret, opaque);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const KEY_MESSAGE = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

test('a secret is opaque, and text is folded into its data', () => {
  const { type, data, stringData } = created(secret, { ...opaque, stringData: { a: 'two', b: 'three' } });
  expect(type).toBe('Opaque');
  expect(data).toEqual({ a: base64('two'), b: base64('three') });
  expect(stringData).toBeUndefined();
  expect(updated(secret, stored, { ...opaque, stringData: { c: 'x' } }).data).toEqual({ a: 'b25l', c: base64('x') });
});

test('an update without a type asks for an opaque secret', () => {
  const other = created(secret, { ...opaque, type: 'a.b/c' });
  expect(updateErrors(secret, other, opaque)).toEqual(['type: Invalid value: "Opaque": field is immutable']);
});

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['a key', { 'data': { 'a b': '' } }, [`data[a b]: Invalid value: "a b": ${KEY_MESSAGE}`]],
  ['too much data', { 'data': { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }, ['data: Too long: may not be more than 1048576 bytes']],
  ['basic authentication without a name or password', { type: 'kubernetes.io/basic-auth' }, ['data[username]: Required value', 'data[password]: Required value']],
  ['an empty SSH key', { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } }, ['data[ssh-privatekey]: Required value']],
  ['TLS without a key', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, ['data[tls.key]: Required value']],
  ['a token without its account', { type: 'kubernetes.io/service-account-token' }, ['metadata.annotations[kubernetes.io/service-account.name]: Required value']],
  ['docker configuration without its key', { type: 'kubernetes.io/dockerconfigjson' }, ['data[.dockerconfigjson]: Required value']],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(secret, changed(opaque, changes))).toEqual(expected);
});

test.each<[string, V1Secret, Changes, string[]]>([
  ['other data', stored, { 'data/a': 'dHdv' }, []],
  ['another type', stored, { type: 'a.b/c' }, ['type: Invalid value: "a.b/c": field is immutable']],
  ['other data of an immutable one', { ...stored, immutable: true }, { 'data/a': 'dHdv' }, ['data: Forbidden: field is immutable when `immutable` is set']],
  ['immutable taken back', { ...stored, immutable: true }, { immutable: false }, ['immutable: Forbidden: field is immutable when `immutable` is set']],
])('update with %s', (_what, old, changes, expected) => {
  expect(updateErrors(secret, old, changed(old, changes))).toEqual(expected);
});

test.each<[string, V1ConfigMap, string[]]>([
  ['data and binary data', { data: { a: 'x' }, binaryData: { b: 'eA==' } }, []],
  ['a key in both', { data: { a: 'x' }, binaryData: { a: 'eA==' } }, ['data[a]: Invalid value: "a": duplicate of key present in binaryData']],
  ['a long key', { data: { ['k'.repeat(254)]: '' } }, [`data[${'k'.repeat(254)}]: Invalid value: "${'k'.repeat(254)}": must be no more than 253 characters`]],
  ['a key of dots', { data: { '..': '' } }, [`data[..]: Invalid value: "..": must not be '..'`]],
  ['too much', { data: { a: 'x'.repeat(1024 * 1024) }, binaryData: { b: 'eA==' } }, [': Too long: may not be more than 1048576 bytes']],
])('config map with %s', (_what, object, expected) => {
  expect(createErrors(configMap, { metadata: { name: 'c', namespace: 'default' }, ...object })).toEqual(expected);
});

test('an immutable config map', () => {
  const old: V1ConfigMap = { metadata: { name: 'c', namespace: 'default' }, data: { a: 'x' }, immutable: true };
  expect(updateErrors(configMap, old, { ...old, data: { a: 'y' }, binaryData: { b: 'eA==' } })).toEqual([
    'data: Forbidden: field is immutable when `immutable` is set', 'binaryData: Forbidden: field is immutable when `immutable` is set',
  ]);
  expect(updateErrors(configMap, old, old)).toEqual([]);
});

test('cells count the keys', () => {
  expect(cellsOf(secret, { ...stored, metadata: { name: 's', creationTimestamp: '2026-06-01T11:59:50Z' } })).toEqual(['s', 'Opaque', 1, '10s']);
  expect(cellsOf(configMap, { metadata: { name: 'c' }, data: { a: '' }, binaryData: { b: '' } })).toEqual(['c', 2, '<unknown>']);
});
