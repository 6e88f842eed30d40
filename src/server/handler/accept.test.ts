import { AcceptNegotiator, type Answers } from './accept.js';

const negotiator = new AcceptNegotiator();

/** What comes out, in one line; the message of a refusal. */
function outcome(header: string, answers?: Answers): string {
  try {
    const { format, target } = negotiator.negotiate(header, answers);
    return [format, target?.kind, target?.version].filter(Boolean).join(' ');
  } catch (error) {
    return (error as Error).message;
  }
}

const ACCEPTED = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const NOT_ROUTED = '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';

// As upstream was seen to answer.
test.each([
  ['', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
  ['application/json;q=0.1, application/yaml;q=0.9', 'yaml'],
  ['application/json;q=0', 'json'],
  ['application/json;q=abc,application/yaml;q=0.5', 'yaml'],
  ['*/*;q=0.1,application/yaml;q=0.01', 'yaml'],
  ['application/yaml;q=0.1, application/*;q=0.9,*/*', 'json'],
  ['application/*, */*;q=0.1', 'json'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json Table v1'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json Table v1beta1'],
  ['application/json;as=Table;v=v7;g=meta.k8s.io,application/json', 'json'],
  ['application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'protobuf PartialObjectMetadataList v1'],
  ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json', 'json'],
  ['application/json;stream=watch', 'json'],
  ['application/json;sv=v1', 'json'],
  ['application/yaml;stream=watch', ACCEPTED],
  ['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', ACCEPTED],
  ['application/json;as=Nothing;v=v1;g=meta.k8s.io', ACCEPTED],
  ['text/plain', NOT_ROUTED],
  ['application/*', NOT_ROUTED],
  ['APPLICATION/JSON', NOT_ROUTED],
  ['*', NOT_ROUTED],
])('%s', (header, expected) => {
  expect(outcome(header)).toBe(expected);
});

test('lists name the framed types too', () => {
  expect(outcome('text/plain', 'list')).toBe(`${NOT_ROUTED}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`);
});

test('errors are never transformed', () => {
  expect(negotiator.negotiateStatus('application/json;as=Table;v=v1;g=meta.k8s.io')).toBeUndefined();
  expect(negotiator.negotiateStatus('application/json;as=Table;v=v1;g=meta.k8s.io,application/yaml')).toMatchObject({ format: 'yaml' });
  expect(negotiator.negotiateStatus('application/vnd.kubernetes.protobuf')).toMatchObject({ format: 'protobuf' });
  expect(negotiator.negotiateStatus('text/html')).toBeUndefined();
});

test('custom kinds are protobuf in their metadata alone', () => {
  expect(outcome('application/vnd.kubernetes.protobuf,application/json', 'custom')).toBe('json');
  expect(outcome('application/vnd.kubernetes.protobuf', 'custom')).toBe(ACCEPTED);
  expect(outcome('application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'custom')).toBe('protobuf PartialObjectMetadata v1');
});

test('what is no object of the API is JSON', () => {
  expect(outcome('application/vnd.kubernetes.protobuf', 'json')).toBe('406: Not Acceptable\n\nAvailable representations: application/json');
});

test('what is not stored has no table form', () => {
  expect(outcome('application/json;as=Table;v=v1;g=meta.k8s.io', 'review')).toBe(ACCEPTED);
  expect(outcome('application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'review')).toBe('json');
  expect(outcome('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'review')).toBe('json PartialObjectMetadata v1');
});
