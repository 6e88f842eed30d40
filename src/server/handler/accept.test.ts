import { AcceptNegotiator } from './accept.js';

const negotiator = new AcceptNegotiator();

test.each([
  ['', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json'],
  ['application/json;q=0.1, application/yaml;q=0.9', 'yaml'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json Table v1'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json Table v1beta1'],
  ['application/json;as=Table;v=v7;g=meta.k8s.io,application/json', 'json'],
  ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'json PartialObjectMetadataList v1'],
  ['application/json;stream=watch', 'json'],
])('%s', (header, expected) => {
  const { format, target } = negotiator.negotiate(header);
  expect([format, target?.kind, target?.version].filter(Boolean).join(' ')).toBe(expected);
});

test.each(['text/plain', 'application/vnd.kubernetes.protobuf', 'application/json;as=Nothing;v=v1;g=meta.k8s.io', 'application/json;q=0'])('%s is not acceptable', (header) => {
  expect(() => negotiator.negotiate(header)).toThrow('406: Not Acceptable');
});
