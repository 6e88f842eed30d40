import { isObject, type JsonObject } from '../../../api/patch/json.js';
import { jsonPatchSteps, type JsonPatchOperation } from '../../../api/patch/json-patch.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { internalError, StatusError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import { run, type Steps } from '../../../base/steps.js';
import { decodeJsonSteps } from '../../../api/codec/decode-json.js';

/** The operations of a JSON patch, read with pauses. Throws an error with upstream's message when it is none. */
export function* decodePatch(patch: Buffer): Steps<readonly JsonPatchOperation[]> {
  const { value } = yield* decodeJsonSteps(patch);
  if (value === null) return [];
  if (!Array.isArray(value)) throw new Error(`json: cannot unmarshal ${isObject(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value} into Go value of type jsonpatch.Patch`);
  const wrong: unknown = value.find((operation) => !isObject(operation));
  if (wrong !== undefined) throw new Error(`json: cannot unmarshal ${Array.isArray(wrong) ? 'array' : typeof wrong} into Go value of type jsonpatch.Operation`);
  return value as JsonPatchOperation[];
}

/** The patched object; the original is not changed. Throws a 500 `StatusError` in upstream's words when an operation does not apply. */
export async function patchObject(object: KubeObject, operations: readonly JsonPatchOperation[]): Promise<KubeObject> {
  let failed: JsonPatchOperation | undefined;
  try {
    // Unlike a client's, it may have any number of operations.
    const patched = await run(jsonPatchSteps(object as JsonObject, operations, (operation) => (failed = operation)));
    if (Array.isArray(patched)) throw internalError('couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }');
    return patched as KubeObject;
  } catch (error) {
    if (failed && StatusError.is(error, 'Invalid')) throw internalError(failureText(failed, errorMessage(error.cause)));
    throw error;
  }
}

function failureText({ op, path, from }: JsonPatchOperation, why: string): string {
  const at = String(path);
  if (why.startsWith('copy operations')) return 'the patch copies more than the limit allows';
  if (why.startsWith('unexpected kind')) return `Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`;
  if (why.startsWith('testing value')) return `testing value ${at} failed: test failed`;
  if (why.startsWith('operation without')) return `${String(op)} operation failed to decode path: missing value`;
  const place = (op === 'move' || op === 'copy') && why.includes(String(from)) ? String(from) : at;
  if (why.startsWith('no such path')) {
    if (op === 'add' || op === 'remove') return `${op} operation does not apply: doc is missing path: ${JSON.stringify(at)}: missing value`;
    if (op === 'test') return `test operation does not apply: is missing path: ${at}: missing value`;
    if (op === 'replace') return `replace operation does not apply: doc is missing path: ${at}: missing value`;
    return `${String(op)} operation does not apply: doc is missing ${place === from ? 'from' : 'destination'} path: ${place}: missing value`;
  }
  const key = place.split('/').pop() ?? '';
  if (why.startsWith('nothing to remove')) return `error in ${String(op)} for path: '${op === 'move' ? key : at}': Unable to remove nonexistent key: ${key}: missing value`;
  if (why.startsWith('index out of range')) return `error in ${op === 'replace' ? 'remove' : String(op)} for path: '${at}': Unable to access invalid index: ${key}: invalid index referenced`;
  if (why.startsWith('not an index')) return `error in ${op === 'replace' ? 'remove' : String(op)} for path: '${at}': strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  return why;
}
