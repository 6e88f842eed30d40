import { CheckCompiler, checkUntyped } from './check.js';
import { CheckContext } from './check-context.js';
import type { GroupVersionKind } from '../meta/object.js';
import type { Decoded } from './decode-json.js';
import { decodeProtobuf } from './decode-protobuf.js';
import { ProtobufEncoder, type ProtobufBlock } from './encode-protobuf.js';
import { ProtobufTable } from './protobuf-fields.js';
import type { StructSchema } from './schema.js';
import { Schemas } from './schemas.js';

/** What a body became. */
export interface CheckResult {
  readonly object: unknown;
  /** Unknown and duplicate fields, in upstream's words; empty unless asked for. */
  readonly strictErrors: readonly string[];
}

export interface CheckOptions {
  /** Collect unknown and duplicate fields (field validation `Strict` and `Warn`); otherwise they are dropped silently. */
  readonly strict: boolean;
  /** Numbers that are too long for 32 bits lose what is too much: upstream converts objects of applies and strategic patches like that. */
  readonly wraps?: boolean;
}

/**
 * Brings plain data into the form of its type: the wrong types are refused as upstream's decoder does, unknown fields are dropped, quantities, times
 * and base64 are written canonically. One per server; types are compiled on first use.
 *
 * After {@link check} an object looks as it does in upstream's memory: `null` and zero values of fields that leave them out are gone
 * (empty lists and maps only in stored form); objects and scalars that are always written are there (`spec: {}`, `replicas: 0`). Input is never changed.
 */
export class Codec {
  readonly schemas = new Schemas();
  private readonly compiler = new CheckCompiler();
  private table: ProtobufTable | undefined;
  private encoder: ProtobufEncoder | undefined;

  /**
   * Decodes a body of upstream's protobuf encoding; what comes out is to be checked like decoded JSON. `expected` fills in what the body does not
   * say about its kind. Throws `KUBE_CANNOT_DECODE`.
   */
  decodeProtobuf(bytes: Buffer, expected: GroupVersionKind): Decoded {
    return decodeProtobuf(bytes, expected, this.protobuf, (kind) => this.schemas.kind(kind));
  }

  /** The protobuf message of an object of a built-in type, without the envelope that names its kind. The object must be as {@link check} gives it. */
  protobufMessage(object: object, type: StructSchema): Buffer {
    return (this.encoder ??= new ProtobufEncoder(this.protobuf)).message(object, type);
  }

  /** {@link protobufMessage} of several objects at once, each under `tag`: a part of a list. */
  protobufBlock(objects: readonly object[], type: StructSchema, tag: number): ProtobufBlock {
    return (this.encoder ??= new ProtobufEncoder(this.protobuf)).block(objects, type, tag);
  }

  /** Throws `KUBE_CANNOT_DECODE` with upstream's message, for `decodeFailure` to put into a 400. */
  check(decoded: Decoded, type: StructSchema, { strict, wraps = false }: CheckOptions): CheckResult {
    return this.run(decoded, strict, false, wraps, (context) => (decoded.value === null ? this.compiler.struct(type)({}, context) : this.compiler.struct(type)(decoded.value, context)));
  }

  /** The same for objects without a known type: only duplicate keys are looked for. */
  checkUntyped(decoded: Decoded, { strict }: CheckOptions): CheckResult {
    return this.run(decoded, strict, false, false, (context) => checkUntyped(decoded.value, context));
  }

  /**
   * An object as it is stored and answered: like {@link check}, and `null` stands where upstream writes it (required lists that are empty,
   * times that are not set). Call it after defaults, admission and validation. Returns its argument when nothing is to be changed.
   */
  forStorage<T extends object>(object: T, type: StructSchema): T {
    return this.run({ value: object }, false, true, false, (context) => this.compiler.struct(type)(object, context)).object as T;
  }

  private get protobuf(): ProtobufTable {
    return (this.table ??= new ProtobufTable());
  }

  private run(decoded: Decoded, strict: boolean, nulls: boolean, wraps: boolean, pass: (context: CheckContext) => unknown): CheckResult {
    const context = new CheckContext(strict, nulls, decoded.duplicates, wraps);
    const object = pass(context);
    if (context.typeError) throw context.typeError;
    return { object, strictErrors: strict ? [...(decoded.strictErrors ?? []), ...context.strictErrors] : [] };
  }
}
