import { atOnce, type Steps } from '../../base/steps.js';
import type { Codec } from '../../api/codec/codec.js';
import { decodeError, decodeFailure, isDecodeError, strictDecodingMessage, strictWarnings } from '../../api/codec/decode-error.js';
import { decodeJsonObjectSteps, parseJsonSteps, type Decoded } from '../../api/codec/decode-json.js';
import { decodeYamlSteps } from '../../api/codec/decode-yaml.js';
import { encodeYaml } from '../../api/codec/encode-yaml.js';
import { protobufEnvelope } from '../../api/codec/encode-protobuf.js';
import { OPTIONS_SCHEME, schemeName } from '../../api/codec/scheme-name.js';
import { jsonKind, readTypeMeta, withDefaults } from '../../api/codec/type-meta.js';
import type { CustomVersion } from '../../api/apiextensions/structural/custom-version.js';
import type { MetadataCheck } from '../../api/apiextensions/structural/embedded.js';
import { toDraft, type Draft } from '../../api/draft.js';
import { invalid, quote } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../api/meta/object.js';
import { shownJson } from '../../api/meta/shown-text.js';
import { conversionMessage } from '../../api/patch/conversion-message.js';
import { preparePatch, type PatchType, type PreparedPatch } from '../../api/patch/apply-patch.js';
import type { Scheme, ServedResource } from '../../api/scheme/scheme.js';
import { badRequestError, invalidError, notAcceptableError, plainError, type StatusError } from '../../api/status-error.js';
import type { ApiRequest, RequestBody } from './api-request.js';
import type { BodyCodec, DecodedApply } from './body-codec.js';
import { bodyFormat, checkCustomFormat } from './media-types.js';
import type { FieldValidation } from './write-options.js';

const EMPTY = Buffer.alloc(0);

/** The codec over the built-in types. */
export class SchemaBodyCodec implements BodyCodec {
  constructor(
    private readonly scheme: Scheme,
    private readonly codec: Codec,
  ) {}

  *decodeObject(request: ApiRequest, resource: ServedResource, validation: FieldValidation): Steps<Draft<KubeObject>> {
    const expected = resource.kind;
    if (resource.custom !== undefined && request.body.type === 'bytes') checkCustomFormat(request.body.mediaType);
    let actual: GroupVersionKind | undefined;
    let accepted: GroupVersionKind | undefined;
    try {
      const decoded = yield* this.decodeBody(request.body, expected);
      yield;
      const told = readTypeMeta(decoded.value);
      if (resource.custom) accepted = acceptCustom(decoded.value, (actual = told), expected);
      else accepted = this.acceptKind((actual = withDefaults(told, expected)), expected);
      const strict = validation !== 'Ignore';
      const { object, strictErrors } = resource.custom ? yield* this.checkCustomSteps(decoded, resource.custom, strict) : this.check(decoded, accepted, strict);
      if (strictErrors.length > 0) {
        if (validation === 'Strict') throw decodeFailure(strictDecodingMessage(strictErrors), actual, expected.kind, bytesOf(request.body));
        for (const text of strictWarnings(strictErrors)) request.warn(text);
      }
      return typed(object as Draft<KubeObject>, accepted);
    } catch (error) {
      throw isDecodeError(error) ? decodeFailure(error.message, actual, expected.kind, bytesOf(request.body)) : error;
    }
  }

  *decodeKind<T>(request: ApiRequest, group: string, version: string, kind: string, validation: FieldValidation): Steps<Draft<T>> {
    const expected = { group, version, kind };
    let actual: GroupVersionKind | undefined;
    try {
      const decoded = yield* this.decodeBody(request.body, expected);
      yield;
      actual = withDefaults(readTypeMeta(decoded.value), expected);
      if (kind === 'DeleteOptions') acceptOptions(actual, kind);
      else if (!isOtherVersion(actual)) this.acceptKind(actual, expected);
      const { object, strictErrors } = this.check(decoded, expected, validation !== 'Ignore');
      if (strictErrors.length > 0) {
        if (validation === 'Strict') throw decodeFailure(strictDecodingMessage(strictErrors), actual, kind, bytesOf(request.body));
        for (const text of strictWarnings(strictErrors)) request.warn(text);
      }
      return object as Draft<T>;
    } catch (error) {
      throw isDecodeError(error) ? (kind === 'DeleteOptions' ? badRequestError(error.message) : decodeFailure(error.message, actual, kind, bytesOf(request.body))) : error;
    }
  }

  preparePatch(request: ApiRequest, type: Exclude<PatchType, 'apply'>, kind: GroupVersionKind, validation: FieldValidation): Steps<PreparedPatch> {
    const { body } = request;
    const custom = this.scheme.kind(kind.group, kind.version, kind.kind)?.custom;
    return preparePatch(this.codec, {
      type,
      body: body.type === 'object' ? { object: body.object } : { bytes: bytesOf(body) },
      fieldValidation: validation,
      schema: this.codec.schemas.kind(kind),
      // The outcome shares parts with the stored object.
      ...(custom ? { check: (value: unknown, strict: boolean) => this.checkCustom({ value: toDraft(value) }, custom, strict) } : {}),
    });
  }

  *decodeApply({ body }: ApiRequest): Steps<DecodedApply> {
    let decoded: Decoded;
    try {
      decoded = body.type === 'object' ? { value: body.object } : yield* decodeYamlBody(body);
      yield;
    } catch (error) {
      throw isDecodeError(error) ? badRequestError(`error decoding YAML: error converting YAML to JSON: ${error.message}`) : error;
    }
    const { object } = this.codec.checkUntyped({ value: decoded.value }, { strict: false });
    if (object !== null && (typeof object !== 'object' || Array.isArray(object))) {
      throw badRequestError(`error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(object)} into Go value of type map[string]interface {}`);
    }
    return { object: (object ?? {}) as KubeObject, strictErrors: decoded.strictErrors ?? [] };
  }

  checkObject(object: KubeObject, kind: GroupVersionKind): KubeObject {
    const custom = this.scheme.kind(kind.group, kind.version, kind.kind)?.custom;
    // What an apply makes is not decoded again: a null that the schema does not allow is refused, where decoders drop it.
    if (custom) return atOnce(this.checkCustomSteps({ value: toDraft(object) }, custom, false, true)).object as KubeObject;
    try {
      return this.check({ value: object }, kind, false, true).object as KubeObject;
    } catch (error) {
      const type = isDecodeError(error) ? this.codec.schemas.kind(kind) : undefined;
      const message = type && conversionMessage(object, type);
      throw message === undefined ? error : decodeError(message);
    }
  }

  readObject(object: KubeObject, kind: GroupVersionKind): KubeObject {
    const actual = readTypeMeta(object);
    if (this.scheme.kind(kind.group, kind.version, kind.kind)?.custom) {
      if (actual.kind === '') throw decodeError(`Object 'Kind' is missing in '${shownJson(object)}'`);
      if (actual.kind !== kind.kind) throw otherKind(object, actual, kind);
      return { ...object, metadata: this.checkMetadata(withTextMaps(object).metadata ?? {}, false).metadata as NonNullable<KubeObject['metadata']> };
    }
    const isExpected = actual.kind === kind.kind && actual.group === kind.group && actual.version === kind.version;
    if (!isExpected) {
      if (!this.codec.schemas.kind(actual)) {
        throw decodeError(`no kind ${quote(actual.kind)} is registered for version ${quote(apiVersionOf(actual))} in scheme ${quote(schemeName(kind.group))}`);
      }
      throw plainError(`converting (${actual.version}.${actual.kind}) to (${kind.group === '' ? 'core' : groupPackage(kind.group)}.${kind.kind}): unknown conversion`);
    }
    return this.check({ value: object }, kind, false).object as KubeObject;
  }

  writtenForm(object: KubeObject, kind: GroupVersionKind): KubeObject {
    const type = this.codec.schemas.kind(kind);
    return type === undefined ? object : this.codec.forStorage(object, type);
  }

  toYaml(object: unknown): Buffer {
    return encodeYaml(object);
  }

  toProtobuf(object: unknown): Buffer {
    const kind = readTypeMeta(object);
    const type = this.codec.schemas.kind(kind);
    if (type === undefined) throw notAcceptableError(`object ${kind.kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`);
    return protobufEnvelope(kind, this.codec.protobufMessage(object as object, type));
  }

  private *decodeBody(body: RequestBody, expected: GroupVersionKind): Steps<Decoded> {
    if (body.type === 'object') return { value: body.object };
    const bytes = bytesOf(body);
    switch (bodyFormat(body.type === 'bytes' ? body.mediaType : '')) {
      case 'json':
        return yield* decodeJsonObjectSteps(bytes);
      case 'yaml':
        return yield* decodeYamlBody(body);
      case 'protobuf':
        return this.codec.decodeProtobuf(bytes, expected);
    }
  }

  /** An object of a custom kind; it is changed in place. */
  private *checkCustomSteps(decoded: Decoded, custom: CustomVersion, strict: boolean, keepsNulls = false): Steps<{ readonly object: unknown; readonly strictErrors: readonly string[] }> {
    const { object, strictErrors } = this.codec.checkUntyped(decoded, { strict });
    if (typeof object !== 'object' || object === null) return { object, strictErrors };
    yield;
    return { object, strictErrors: [...strictErrors, ...yield* custom.coerceSteps(object as Record<string, unknown>, strict, (metadata, tell) => this.checkMetadata(metadata, tell), keepsNulls)] };
  }

  private checkCustom(decoded: Decoded, custom: CustomVersion, strict: boolean): { readonly object: unknown; readonly strictErrors: readonly string[] } {
    return atOnce(this.checkCustomSteps(decoded, custom, strict));
  }

  private checkMetadata(value: unknown, strict: boolean): ReturnType<MetadataCheck> {
    const { object, strictErrors } = this.codec.check({ value }, this.codec.schemas.objectMeta, { strict });
    return { metadata: withoutEmpty(object), unknown: strictErrors.flatMap((error) => /^unknown field "(.*)"$/.exec(error)?.[1] ?? []) };
  }

  private check(decoded: Decoded, kind: GroupVersionKind, strict: boolean, wraps = false): { readonly object: unknown; readonly strictErrors: readonly string[] } {
    const type = this.codec.schemas.kind(kind);
    return type ? this.codec.check(decoded, type, { strict, wraps }) : this.codec.checkUntyped(decoded, { strict });
  }

  /** Refuses objects of other kinds than the path is about. */
  private acceptKind(actual: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
    if (actual.kind === expected.kind && actual.group === expected.group && actual.version === expected.version) return expected;
    const text = `${actual.kind} in version ${quote(actual.version)} cannot be handled as a ${expected.kind}`;
    if (!this.codec.schemas.kind(actual) && !this.scheme.kind(actual.group, actual.version, actual.kind)) {
      throw badRequestError(`${text}: no kind ${quote(actual.kind)} is registered for version ${quote(apiVersionOf(actual))} in scheme ${quote(schemeName(expected.group))}`);
    }
    if (actual.kind !== expected.kind) {
      throw badRequestError(`${text}: converting (${actual.version}.${actual.kind}) to (${expected.group === '' ? 'core' : groupPackage(expected.group)}.${expected.kind}): unknown conversion`);
    }
    throw badRequestError(`the API version in the data (${apiVersionOf(actual)}) does not match the expected API version (${apiVersionOf(expected)})`);
  }
}

/** Options of any group version are welcome. */
function acceptOptions(actual: GroupVersionKind, kind: string): void {
  if (actual.kind !== kind) throw badRequestError(`no kind ${quote(actual.kind)} is registered for version ${quote(apiVersionOf(actual))} in scheme ${quote(OPTIONS_SCHEME)}`);
}

/** Evictions may be sent in their earlier version, which has the same fields. */
function isOtherVersion({ group, version, kind }: GroupVersionKind): boolean {
  return group === 'policy' && version === 'v1beta1' && kind === 'Eviction';
}

/** Metadata of custom objects goes through upstream's type, which leaves out what is empty; a grace period of 0 says something. */
function withoutEmpty(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([name, value]) => name === 'deletionGracePeriodSeconds' || !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === 0;
}

/** Custom objects must say themselves what they are. */
function acceptCustom(value: unknown, actual: GroupVersionKind, expected: GroupVersionKind): GroupVersionKind {
  if (actual.kind === '') throw decodeError(`Object 'Kind' is missing in '${shownJson(value)}'`);
  if (actual.group !== expected.group || actual.version !== expected.version) {
    throw badRequestError(`the API version in the data (${actual.version === '' ? '' : apiVersionOf(actual)}) does not match the expected API version (${apiVersionOf(expected)})`);
  }
  if (actual.kind === expected.kind) return expected;
  throw otherKind(value, actual, expected);
}

function otherKind(value: unknown, actual: GroupVersionKind, expected: GroupVersionKind): StatusError {
  const { metadata } = value as { readonly metadata?: { readonly name?: unknown } };
  const name = typeof metadata?.name === 'string' ? metadata.name : '';
  return invalidError({ group: expected.group, kind: actual.kind }, name, [invalid(FieldPath.of('kind'), actual.kind, `must be ${expected.kind}`)]);
}

/** Labels and annotations of custom objects are texts; upstream does not see maps in which others are. */
function withTextMaps(object: KubeObject): KubeObject {
  const metadata = object.metadata as Readonly<Record<string, unknown>> | undefined;
  const wrong = ['labels', 'annotations'].filter((name) => Object.values(metadata?.[name] ?? {}).some((text) => typeof text !== 'string'));
  if (wrong.length === 0) return object;
  return { ...object, metadata: Object.fromEntries(Object.entries(metadata!).filter(([name]) => !wrong.includes(name))) };
}

function* decodeYamlBody(body: RequestBody): Steps<Decoded> {
  const read = body.type === 'bytes' ? body.read : undefined;
  if (read === undefined) return yield* decodeYamlSteps(bytesOf(body));
  if ('wrong' in read) throw decodeError(read.wrong);
  const text = Buffer.from(read.json.buffer, read.json.byteOffset, read.json.byteLength).toString();
  const value: unknown = yield* parseJsonSteps(text);
  return read.strictErrors ? { value, strictErrors: read.strictErrors } : { value };
}

function bytesOf(body: RequestBody): Buffer {
  if (body.type === 'bytes') return body.bytes;
  return body.type === 'object' ? Buffer.from(JSON.stringify(body.object) ?? '') : EMPTY;
}

function typed(object: Draft<KubeObject>, kind: GroupVersionKind): Draft<KubeObject> {
  object.kind = kind.kind;
  object.apiVersion = apiVersionOf(kind);
  return object;
}

/** The Go package of a group's internal types: the first part of its name. */
function groupPackage(group: string): string {
  return group.split('.')[0]!;
}
