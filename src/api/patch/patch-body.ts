import { CheckCompiler, noteDuplicates } from '../codec/check.js';
import { CheckContext } from '../codec/check-context.js';
import { plain } from '../codec/check-values.js';
import { isDecodeError } from '../codec/decode-error.js';
import type { Steps } from '../../base/steps.js';
import { decodeJsonSteps, type Decoded } from '../codec/decode-json.js';
import { NumberLiteral } from '../codec/number-literal.js';
import { StructSchema, type FieldSchema, type TypeSchema } from '../codec/schema.js';
import { jsonKind } from '../codec/type-meta.js';
import { badRequestError } from '../status-error.js';
import { isObject, type JsonObject } from './json.js';
import type { JsonPatchOperation } from './json-patch.js';

/** A patch as it arrives: bytes, or in-process already as plain data. */
export type PatchBody = { readonly bytes: Buffer } | { readonly object: unknown };

/** A decoded patch, with what strict field validation has to say about it. */
export interface DecodedPatch<T> {
  readonly patch: T;
  readonly strictErrors: readonly string[];
}

/** The value of an operation may be long. */
const OPERATIONS_PER_STEP = 20;

/** Equal to nothing. */
const NOT_STORED = Symbol('a value that is never stored');

const field = (name: string, type: TypeSchema): [string, FieldSchema] => [name, { name, type, presence: 'pointer', patchStrategy: [] }];
const text: TypeSchema = { kind: 'string', goName: 'string' };
const OPERATION = new StructSchema('handlers.jsonPatchOp', true, () =>
  new Map([field('op', text), field('path', text), field('from', text), field('value', { kind: 'json', goName: 'interface {}' })]));

/** The operations of a JSON patch. Throws 400. */
export function* decodeOperations(body: PatchBody, strict: boolean): Steps<DecodedPatch<readonly JsonPatchOperation[]>> {
  const prefix = strict ? 'error decoding patch: ' : '';
  const decoded = yield* decode(body, prefix);
  const strictErrors: string[] = [];
  if (strict) {
    if (!Array.isArray(decoded.value) && decoded.value !== null) {
      throw badRequestError(`${prefix}json: cannot unmarshal ${jsonKind(decoded.value)} into Go value of type []handlers.jsonPatchOp`);
    }
    const context = new CheckContext(true, false, decoded.duplicates);
    const check = new CheckCompiler().struct(OPERATION);
    for (const [i, operation] of (decoded.value as unknown[] | null)?.entries() ?? []) {
      context.path.push(i);
      if (operation !== null) check(operation, context);
      if (isObject(operation)) {
        context.path.push('value');
        noteDuplicates(operation['value'], context);
        context.path.pop();
      }
      context.path.pop();
      if (i % OPERATIONS_PER_STEP === OPERATIONS_PER_STEP - 1) yield;
    }
    if (context.typeError) throw badRequestError(`${prefix}${context.typeError.message}`);
    strictErrors.push(...context.strictErrors.map((error) => `json patch ${error}`));
  }
  const operations = decoded.value ?? [];
  if (!Array.isArray(operations)) throw badRequestError(`json: cannot unmarshal ${jsonKind(operations)} into Go value of type jsonpatch.Patch`);
  const patch: JsonPatchOperation[] = [];
  for (const sent of operations) {
    const operation = plain(sent);
    if (operation !== null && !isObject(operation)) throw badRequestError(`json: cannot unmarshal ${jsonKind(operation)} into Go value of type jsonpatch.Operation`);
    patch.push(tested(sent, operation ?? {}));
    if (patch.length % OPERATIONS_PER_STEP === 0) yield;
  }
  return { patch, strictErrors };
}

/** Upstream compares numbers as they are written, and what is stored is written in one way: `0.0` is no number that could be found. */
function tested(sent: unknown, operation: JsonObject): JsonObject {
  return operation['op'] === 'test' && hasOddNumber((sent as JsonObject)['value']) ? { ...operation, value: NOT_STORED } : operation;
}

function hasOddNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof NumberLiteral) return /[.eE]/.test(value.text) && value.text !== String(value.value);
  return Object.values(value).some(hasOddNumber);
}

/** The object that a merge patch is; a list, where nothing forbids it, takes the place of the whole object. Throws 400. */
export function* decodeMergePatch(body: PatchBody, strict: boolean): Steps<DecodedPatch<JsonObject | readonly unknown[]>> {
  const prefix = strict ? 'error decoding patch: ' : '';
  const decoded = yield* decode(body, prefix, strict ? undefined : 'Invalid JSON Patch');
  if (!strict && Array.isArray(decoded.value)) return { patch: plain(decoded.value) as unknown[], strictErrors: [] };
  if (!isObject(decoded.value) || decoded.value instanceof NumberLiteral) {
    if (!strict || decoded.value === null) throw badRequestError('Invalid JSON Patch');
    throw badRequestError(`${prefix}json: cannot unmarshal ${jsonKind(decoded.value)} into Go value of type map[string]interface {}`);
  }
  return { patch: plain(decoded.value) as JsonObject, strictErrors: strict ? duplicateErrors(decoded) : [] };
}

/** The object that a strategic merge patch is. Throws 400. */
export function* decodeStrategicPatch(body: PatchBody, strict: boolean): Steps<DecodedPatch<JsonObject>> {
  const decoded = yield* decode(body, '');
  if (decoded.value === null) return { patch: {}, strictErrors: [] };
  if (!isObject(decoded.value) || decoded.value instanceof NumberLiteral) {
    throw badRequestError(`json: cannot unmarshal ${jsonKind(decoded.value)} into Go value of type map[string]interface {}`);
  }
  return { patch: plain(decoded.value) as JsonObject, strictErrors: strict ? duplicateErrors(decoded) : [] };
}

function* decode(body: PatchBody, prefix: string, instead?: string): Steps<Decoded> {
  if ('object' in body) return { value: body.object };
  try {
    return yield* decodeJsonSteps(body.bytes);
  } catch (error) {
    throw isDecodeError(error) ? badRequestError(instead ?? `${prefix}${error.message}`) : error;
  }
}

function duplicateErrors(decoded: Decoded): readonly string[] {
  if (!decoded.duplicates) return [];
  const context = new CheckContext(true, false, decoded.duplicates);
  noteDuplicates(decoded.value, context);
  return context.strictErrors;
}
