import type { Steps } from '../../base/steps.js';
import type { CheckResult, Codec } from '../codec/codec.js';
import { decodeError, isDecodeError, strictDecodingMessage } from '../codec/decode-error.js';
import type { StructSchema, TypeSchema } from '../codec/schema.js';
import { schemeName } from '../codec/scheme-name.js';
import { readTypeMeta } from '../codec/type-meta.js';
import { invalid } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { apiVersionOf } from '../meta/object.js';
import { shownJson } from '../meta/shown-text.js';
import { badRequestError, invalidError, StatusError } from '../status-error.js';
import { conversionMessage } from './conversion-message.js';
import { goText, isObject, setKey, withoutNulls, type JsonObject } from './json.js';
import { jsonPatchSteps, unescapeStep, type JsonPatchOperation } from './json-patch.js';
import { mergePatchSteps, sortMerged } from './merge-patch.js';
import { decodeMergePatch, decodeOperations, decodeStrategicPatch, type PatchBody } from './patch-body.js';
import { tooManyOperationsError } from './patch-error.js';
import { spentPatch } from './spent-patch.js';
import { strategicMergeSteps } from './strategic-merge.js';

/** What a patch's media type says it is. `apply` (server-side apply) is prepared elsewhere. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** Media types of PATCH bodies, as the error of another one lists them. */
export const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** How unknown and duplicate fields are treated. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** A JSON patch may have this many operations. */
const MAX_OPERATIONS = 10_000;

export interface PatchResult {
  /** Checked against the type, in the form that `Codec.check` gives. */
  readonly object: JsonObject;
  /** Unknown and duplicate fields, for `Warning` headers. */
  readonly warnings: readonly string[];
}

/** A decoded patch that can be applied again and again, to whatever the object is by then. */
export interface PreparedPatch {
  /** `current` is the object in the request's version; it is not changed. Throws a `StatusError`. */
  apply(current: JsonObject): Steps<PatchResult>;
}

export interface PatchRequest {
  readonly type: Exclude<PatchType, 'apply'>;
  readonly body: PatchBody;
  readonly fieldValidation: FieldValidation;
  /** Undefined for objects without a known type (custom resources): those cannot be patched strategically. */
  readonly schema: StructSchema | undefined;
  /** Brings the outcome into the form of a kind without {@link schema}. */
  readonly check?: (value: unknown, strict: boolean) => CheckResult;
}

/** Decodes a patch. Throws a `StatusError`: 400 when it is malformed, 413 when it has too many operations. */
export function* preparePatch(codec: Codec, request: PatchRequest): Steps<PreparedPatch> {
  const { schema } = request;
  const strict = request.fieldValidation !== 'Ignore';
  switch (request.type) {
    case 'json': {
      const { patch, strictErrors } = yield* decodeOperations(request.body, strict);
      if (patch.length > MAX_OPERATIONS) throw tooManyOperationsError(MAX_OPERATIONS, patch.length);
      return {
        *apply(current) {
          const outcome = yield* jsonPatchSteps(current, patch);
          yield;
          return yield* finishInOrder(codec, request, current, outcome, () => touchedBy(patch), strictErrors);
        },
      };
    }
    case 'merge': {
      const { patch, strictErrors } = yield* decodeMergePatch(request.body, strict);
      return {
        *apply(current) {
          if (!isObject(patch)) return finish(codec, request, current, withoutNulls(patch), strictErrors);
          const outcome = yield* mergePatchSteps(current, patch);
          yield;
          return yield* finishInOrder(codec, request, current, outcome, () => patch, strictErrors);
        },
      };
    }
    case 'strategic': {
      if (schema === undefined) throw badRequestError('strategic merge patch format is not supported');
      const { patch, strictErrors } = yield* decodeStrategicPatch(request.body, strict);
      return {
        *apply(current) {
          const outcome = yield* strategicMergeSteps(current, patch, schema);
          yield;
          return finish(codec, request, current, outcome, strictErrors, patch);
        },
      };
    }
  }
}

/** What is wrong is told in the order in which upstream meets it: objects that the patch has touched come with their keys sorted. */
function* finishInOrder(codec: Codec, request: PatchRequest, current: JsonObject, outcome: unknown, touched: () => JsonObject, strictErrors: readonly string[]): Steps<PatchResult> {
  if (!isObject(outcome)) return finish(codec, request, current, outcome, strictErrors);
  try {
    const result = finish(codec, request, current, outcome, strictErrors);
    if (result.warnings.length < 2) return result;
  } catch {
    // Again below, for the right order.
  }
  yield;
  return finish(codec, request, current, sortMerged(outcome, touched()), strictErrors);
}

/** The objects on the way to what a JSON patch changes. */
function touchedBy(patch: readonly JsonPatchOperation[]): JsonObject {
  const touched: JsonObject = {};
  for (const { path, from } of patch) {
    for (const pointer of [path, from]) {
      if (typeof pointer !== 'string') continue;
      let place = touched;
      for (const step of pointer.split('/').slice(1, -1).map(unescapeStep)) {
        if (!Object.hasOwn(place, step)) setKey(place, step, {});
        place = place[step] as JsonObject;
      }
    }
  }
  return touched;
}

/** Checks the outcome as upstream does when it decodes it: what is wrong is blamed on the patch, with 422. */
function finish(codec: Codec, request: PatchRequest, current: JsonObject, outcome: unknown, patchErrors: readonly string[], strategic?: JsonObject): PatchResult {
  const strict = request.fieldValidation !== 'Ignore';
  const blame = (message: string): StatusError => patchInvalid(strategic ? goText(spentPatch(current, strategic)) : request.check ? shownJson(outcome, true) : jsonText(outcome), message);
  const unread = request.check || strategic ? undefined : unreadFields(outcome);
  let result;
  try {
    if (request.check) checkCustomKind(current, outcome);
    else if (strategic === undefined) checkKind(codec, current, outcome);
    else checkTypeMeta(outcome);
    const value = sameKind(unread === undefined ? outcome : {}, current);
    if (request.schema) result = codec.check({ value }, request.schema, { strict, wraps: strategic !== undefined });
    else result = request.check ? request.check(value, strict) : codec.checkUntyped({ value }, { strict });
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    throw blame((strategic && request.schema ? conversionMessage(outcome, request.schema) : undefined) ?? error.message);
  }
  const errors = [...patchErrors, ...(unread ?? []), ...(strategic ? [...result.strictErrors].sort() : result.strictErrors)];
  if (errors.length > 0 && request.fieldValidation === 'Strict') throw blame(strictDecodingMessage(errors));
  return { object: result.object as JsonObject, warnings: strict ? errors : [] };
}

/** An object of no version has no fields, and upstream's decoder reads nothing of it: what is wrong then; undefined when there is a version. */
function unreadFields(outcome: unknown): string[] | undefined {
  if (!isObject(outcome) || (outcome.apiVersion !== undefined && outcome.apiVersion !== null && outcome.apiVersion !== '')) return undefined;
  return Object.keys(outcome)
    .filter((name) => name !== 'kind' && name !== 'apiVersion')
    .sort()
    .map((name) => `unknown field ${JSON.stringify(name)}`);
}

/** A patch cannot make another kind of the object. */
function checkKind(codec: Codec, current: JsonObject, outcome: unknown): void {
  const actual = readTypeMeta(outcome);
  const expected = readTypeMeta(current);
  const kind = actual.kind === '' ? expected.kind : actual.kind;
  const version = actual.version === '' ? expected : actual;
  if (kind === expected.kind && version.group === expected.group && version.version === expected.version) return;
  const apiVersion = apiVersionOf(version);
  const known = codec.schemas.kind({ group: version.group, version: version.version, kind }) !== undefined;
  throw patchInvalid(
    jsonText(outcome),
    known ? `unable to decode ${version.group}/${version.version}, Kind=${kind} into a ${expected.kind}` : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "${schemeName(expected.group)}"`,
  );
}

/** After a strategic patch, what the object says it is counts for nothing, but must be text. */
function checkTypeMeta(outcome: unknown): void {
  if (!isObject(outcome)) return;
  const message = conversionMessage(outcome.kind, TEXT) ?? conversionMessage(outcome.apiVersion, TEXT);
  if (message !== undefined) throw decodeError(message);
}

const TEXT: TypeSchema = { kind: 'string', goName: 'string' };

function checkCustomKind(current: JsonObject, outcome: unknown): void {
  const actual = readTypeMeta(outcome);
  const expected = readTypeMeta(current);
  if (actual.kind === '') throw decodeError(`Object 'Kind' is missing in '${shownJson(outcome, true)}'`);
  if (actual.kind === expected.kind) return;
  const { metadata } = current as { readonly metadata?: { readonly name?: string } };
  throw invalidError({ group: expected.group, kind: actual.kind }, metadata?.name ?? '', [invalid(FieldPath.of('kind'), actual.kind, `must be ${expected.kind}`)]);
}

function sameKind(outcome: unknown, current: JsonObject): unknown {
  if (!isObject(outcome) || (outcome.kind === current.kind && outcome.apiVersion === current.apiVersion)) return outcome;
  return { ...outcome, apiVersion: current.apiVersion, kind: current.kind };
}

function patchInvalid(patch: string, message: string): StatusError {
  const { status } = invalidError({ group: '', kind: '' }, '', [invalid(FieldPath.root.child('patch'), patch, message)]);
  return new StatusError({ ...status, details: { causes: status.details?.causes ?? [] } });
}

/** JSON as upstream prints a patched object: keys of the object itself sorted. */
function jsonText(value: unknown): string {
  return shownJson(isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value);
}
