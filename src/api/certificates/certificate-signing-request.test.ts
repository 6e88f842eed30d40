import { createCsr } from '../../base/tls/csr.js';
import { generateEcKeyPair } from '../../base/tls/keys.js';
import type { V1CertificateSigningRequest } from '../generated/types.js';
import { cellsOf, changed, created, createErrors, updated, updateErrors, type Changes } from '../scheme/testing.js';
import { certificateSigningRequest as csr } from './certificate-signing-request.js';

const request = Buffer.from(createCsr(generateEcKeyPair().privateKey, { commonName: 'jane', organizations: [] })).toString('base64');
const wanted: V1CertificateSigningRequest = { metadata: { name: 'r' }, spec: { request, signerName: 'example.com/s', usages: ['client auth'], username: 'jane' } };
const stored = created(csr, wanted);

test.each<[string, Changes, string[]]>([
  ['nothing', {}, []],
  ['no request', { 'spec/request': '' }, ['spec.request: Invalid value: \"\": PEM block type must be CERTIFICATE REQUEST']],
  ['no usages', { 'spec/usages': [] }, ['spec.usages: Required value']],
  ['the same usage twice', { 'spec/usages': ['any', 'any'] }, ['spec.usages[1]: Duplicate value: "any"']],
  ['a signer without domain', { 'spec/signerName': 'signer' }, [
    'spec.signerName: Invalid value: "signer": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  ]],
  ['the legacy signer', { 'spec/signerName': 'kubernetes.io/legacy-unknown' }, [
    'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
  ]],
  ['a short life', { 'spec/expirationSeconds': 599 }, ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)']],
])('create with %s', (_what, changes, expected) => {
  expect(createErrors(csr, changed(wanted, changes))).toEqual(expected);
});

const approved = { type: 'Approved', status: 'True', reason: 'x', message: '' } as const;

test('conditions of approval are written through approval alone', () => {
  expect(created(csr, changed(wanted, { 'status/conditions': [approved] })).status).toEqual({});
  expect(updated(csr, stored, changed(stored, { 'status/conditions': [approved], 'status/certificate': 'eA==' }), 'approval').status).toEqual({
    conditions: [{ ...approved, lastUpdateTime: '2026-06-01T12:00:00Z', lastTransitionTime: '2026-06-01T12:00:00Z' }],
  });
  expect(updateErrors(csr, stored, changed(stored, { 'status/conditions': [approved, { ...approved, type: 'Denied' }] }), 'approval')).toEqual([
    'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
  ]);
});

test('what is approved stays approved', () => {
  const old = updated(csr, stored, changed(stored, { 'status/conditions': [approved] }), 'approval');
  expect(updateErrors(csr, old, changed(old, { 'status/conditions': [] }), 'approval')).toEqual(['status.conditions: Forbidden: updates may not remove a condition of type "Approved"']);
});

test('cells', () => {
  expect(cellsOf(csr, stored)).toEqual(['r', '<unknown>', 'example.com/s', 'jane', '<none>', 'Pending']);
  const issued = changed(stored, { 'status/conditions': [approved], 'status/certificate': 'eA==', 'spec/expirationSeconds': 86400 });
  expect(cellsOf(csr, issued).slice(4)).toEqual(['24h', 'Approved,Issued']);
});
