import { conversionReview, convertedObjects, ReviewError } from './conversion-review.js';
import { acceptConverted } from './converted-object.js';

const object = { kind: 'A', apiVersion: 'g/v1', metadata: { name: 'a', uid: 'u' } };

test('the first version of the review that is known is sent', () => {
  expect(conversionReview(['v3', 'v1beta1', 'v1'], 'x', 'g/v2', [object])).toEqual({
    kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1beta1', request: { uid: 'x', desiredAPIVersion: 'g/v2', objects: [object] },
  });
  expect(() => conversionReview(['v3'], 'x', 'g/v2', [])).toThrow('no supported conversion review versions');
});

const success = { uid: 'x', result: { status: 'Success' }, convertedObjects: [object] };
const v1 = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', response: success };

test.each<[string, 'v1' | 'v1beta1', unknown, string]>([
  ['nothing', 'v1', {}, 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='],
  ['another kind', 'v1', { ...v1, kind: 'Foo' }, 'no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'],
  ['another version', 'v1', { ...v1, apiVersion: 'apiextensions.k8s.io/v1beta1' }, 'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'],
  ['no response', 'v1', { ...v1, response: undefined }, 'no response provided'],
  ['another request', 'v1', { ...v1, response: { ...success, uid: 'y' } }, 'expected response.uid="x", got "y"'],
  ['a failure', 'v1', { ...v1, response: { uid: 'x', result: { status: 'Failure', message: 'no' } } }, 'no'],
  ['a silent failure', 'v1beta1', { response: { result: {} } }, "response.result.status was '', not 'Success'"],
])('an answer with %s', (_what, version, answer, message) => {
  expect(() => convertedObjects(conversionReview([version], 'x', 'g/v2', []), answer)).toThrow(new ReviewError(message));
});

test('the older review was never checked for whose answer it is', () => {
  expect(convertedObjects(conversionReview(['v1beta1'], 'x', 'g/v2', []), { response: { ...success, uid: 'other' } })).toEqual([object]);
});

test('metadata is the original but for labels and annotations', () => {
  const answered = { ...object, apiVersion: 'g/v2', more: 1, metadata: { name: 'a', uid: 'u', labels: { b: 'c' }, ownerReferences: [], annotations: null } };
  const original = { ...object, metadata: { ...object.metadata, generation: 3, annotations: { x: 'y' }, labels: { x: 'y' } } };
  expect(acceptConverted(original, answered, 'g/v2')).toEqual({ kind: 'A', apiVersion: 'g/v2', more: 1, metadata: { name: 'a', uid: 'u', generation: 3, labels: { b: 'c' } } });
});

test.each<[unknown, string]>([
  [null, 'unexpected end of JSON input'],
  ['x', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
  [{ ...object, kind: 'B', apiVersion: 'g/v2' }, 'returned invalid object at index 0: invalid kind (expected A, received B)'],
  [{ ...object, apiVersion: 'g/v2', metadata: 'x' }, 'returned invalid object: must have the same name: a != '],
  [{ ...object, apiVersion: 'g/v2', metadata: { ...object.metadata, labels: { 'a b': 'c' } } }, 'returned invalid metadata: metadata.labels: Invalid value: "a b": '],
])('%j in place of the object', (answered, message) => {
  expect(() => acceptConverted(object, answered, 'g/v2')).toThrow(message);
});
