import { atOnce } from '../../../base/steps.js';
import { denial } from './denial.js';
import { decodePatch, patchObject } from './patch-object.js';
import { readVerdict } from './verdict.js';

const review = (response: unknown, more: object = {}): object => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('an answer is read', () => {
  const patch = base64('[]');
  expect(readVerdict(review({ uid: 'u', allowed: true, patch, patchType: 'JSONPatch', warnings: ['w'], auditAnnotations: { a: 'b' } }), 'v1', 'u', true)).toEqual({
    allowed: true, status: undefined, patch: Buffer.from('[]'), patchType: 'JSONPatch', warnings: ['w'],
  });
  // The older version says less about itself.
  expect(readVerdict({ response: { allowed: true, patch } }, 'v1beta1', 'u', true)).toMatchObject({ patch: Buffer.from('[]'), patchType: 'JSONPatch' });
});

test.each<[unknown, boolean, string]>([
  [review(undefined), true, 'webhook response was absent'],
  [null, true, 'webhook response was absent'],
  [[], true, 'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'],
  [review({ uid: 'other', allowed: true }), true, 'expected response.uid="u", got "other"'],
  [{ response: { uid: 'u', allowed: true } }, true, 'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind='],
  [review({ uid: 'u' }, { apiVersion: 'admission.k8s.io/v1beta1' }), true, 'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'],
  [review({ uid: 'u' }, { kind: 'Foo' }), true, 'no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"'],
  [review({ uid: 'u', patch: 'W10=' }), true, 'webhook returned response.patch but not response.patchType'],
  [review({ uid: 'u', patchType: 'JSONPatch' }), true, 'webhook returned response.patchType but not response.patch'],
  [review({ uid: 'u', patch: 'W10=', patchType: '' }), true, 'webhook returned invalid response.patchType of ""'],
  [review({ uid: 'u', patch: 'W10=' }), false, 'validating webhook may not return response.patch'],
  [review({ uid: 'u', patchType: 'JSONPatch' }), false, 'validating webhook may not return response.patchType'],
  [review({ uid: 'u', patch: '!!' }), true, 'illegal base64 data at input byte 0'],
  [review({ uid: 'u', allowed: 'yes' }), true, 'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool'],
  [review({ uid: 'u', warnings: [1] }), true, 'json: cannot unmarshal number into Go struct field AdmissionResponse.response.warnings of type string'],
  [review({ uid: 'u', status: { code: 'x' } }), true, 'json: cannot unmarshal string into Go struct field Status.response.status.code of type int32'],
  [review('x'), true, 'json: cannot unmarshal string into Go struct field AdmissionReview.response of type v1.AdmissionResponse'],
])('%j is refused', (answer, mutating, message) => {
  expect(() => readVerdict(answer, 'v1', 'u', mutating)).toThrow(message);
});

test('a denial says what the webhook said, and is always a failure', () => {
  const denied = 'admission webhook "w.example.com" denied the request';
  expect(denial('w.example.com', undefined).status).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: `${denied} without explanation`, code: 400 });
  expect(denial('w.example.com', { status: 'Success', code: 200, reason: 'Why' }).status).toMatchObject({ status: 'Failure', message: `${denied}: Why`, reason: 'Why', code: 400 });
  const details = { causes: [{ field: 'a', message: 'b' }] };
  expect(denial('w.example.com', { code: 422, reason: 'Invalid', message: 'no', details }).status).toMatchObject({ message: `${denied}: no`, reason: 'Invalid', code: 422, details });
  expect([-5, 101, 999, 1000, 99_999].map((code) => denial('w', { code }).code)).toEqual([400, 400, 999, 500, 500]);
});

test('patches are lists of operations', () => {
  expect(atOnce(decodePatch(Buffer.from('[{"op":"remove","path":"/a"}]')))).toEqual([{ op: 'remove', path: '/a' }]);
  expect(atOnce(decodePatch(Buffer.from('null')))).toEqual([]);
  expect(() => atOnce(decodePatch(Buffer.from('{}')))).toThrow('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  expect(() => atOnce(decodePatch(Buffer.from('nope')))).toThrow('invalid character');
});

test.each<[object, string]>([
  [{ op: 'add', path: '/x/y', value: 1 }, 'add operation does not apply: doc is missing path: "/x/y": missing value'],
  [{ op: 'replace', path: '/x/y', value: 1 }, 'replace operation does not apply: doc is missing path: /x/y: missing value'],
  [{ op: 'remove', path: '/nope' }, "error in remove for path: '/nope': Unable to remove nonexistent key: nope: missing value"],
  [{ op: 'test', path: '/kind', value: 'X' }, 'testing value /kind failed: test failed'],
  [{ op: 'frob', path: '/kind' }, 'Unexpected kind: frob'],
  [{ op: 'add', path: '/list/7', value: 1 }, "error in add for path: '/list/7': Unable to access invalid index: 7: invalid index referenced"],
])('%j does not apply', async (operation, message) => {
  const object = { kind: 'K', list: [1] };
  const wanted = expect.objectContaining({ code: 500, message: `Internal error occurred: ${message}` }) as Error;
  await expect(patchObject(object, [{ op: 'add', path: '/fine', value: 1 }, operation as Record<string, unknown>])).rejects.toEqual(wanted);
});

test('very many operations are applied once each, and others get their turn', async () => {
  let applied = 0;
  let turns = 0;
  const operations = Array.from({ length: 20_000 }, (_, i) => ({
    get op() {
      applied++;
      return i === 19_999 ? 'remove' : 'add';
    },
    path: i === 19_999 ? '/nope' : `/k${i}`,
    value: 1,
  }));
  const timer = setInterval(() => turns++, 0);
  await expect(patchObject({ kind: 'K' }, operations)).rejects.toMatchObject({ code: 500 });
  clearInterval(timer);
  // Once more for the message.
  expect(applied).toBe(20_001);
  expect(turns).toBeGreaterThan(1);
});
