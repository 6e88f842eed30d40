import { atOnce, type Steps } from '../../base/steps.js';
import { isDecodeError } from './decode-error.js';
import { JsonParser, MAX_DEPTH, type DuplicateKeys } from './json-parser.js';
import { countKeys, scanJson } from './json-scan.js';
import { unreadable } from './type-meta.js';

/** A body as plain data. */
export interface Decoded {
  /** May contain `NumberLiteral`s where a number's text matters. */
  readonly value: unknown;
  /** Absent when there are none (the usual case). */
  readonly duplicates?: DuplicateKeys;
  /** Strict errors that the decoder itself worded (YAML). */
  readonly strictErrors?: readonly string[];
}

/** Longer bodies are parsed in steps: `JSON.parse` does it in one, which takes long where there are very many keys. */
const LONG_BYTES = 256 * 1024;

/**
 * Decodes JSON. Throws `KUBE_CANNOT_DECODE` with upstream's message. The usual body goes through `JSON.parse`; only one with duplicate keys or
 * unusual numbers is parsed again, with care.
 */
export function decodeJson(bytes: Buffer): Decoded {
  return atOnce(decodeJsonSteps(bytes));
}

/** {@link decodeJson} with pauses. */
export function* decodeJsonSteps(bytes: Buffer): Steps<Decoded> {
  const text = bytes.toString();
  yield;
  if (bytes.length > LONG_BYTES) return yield* parseWithCare(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return yield* parseWithCare(text);
  }
  yield;
  const { keys, depth, oddNumbers } = scanJson(text);
  if (oddNumbers || depth > MAX_DEPTH || countKeys(value) !== keys) return yield* parseWithCare(text);
  return { value };
}

/** {@link decodeJson} for bodies that are whole objects, where upstream's messages begin differently. */
export function decodeJsonObject(bytes: Buffer): Decoded {
  return atOnce(decodeJsonObjectSteps(bytes));
}

/** {@link decodeJsonObject} with pauses. */
export function* decodeJsonObjectSteps(bytes: Buffer): Steps<Decoded> {
  try {
    return yield* decodeJsonSteps(bytes);
  } catch (error) {
    throw isDecodeError(error) ? unreadable(error.message) : error;
  }
}

/** The value of JSON that was written by {@link JSON.stringify}, with pauses. */
export function* parseJsonSteps(text: string): Steps<unknown> {
  return text.length > LONG_BYTES ? yield* new JsonParser(text, true).parse() : JSON.parse(text);
}

function* parseWithCare(text: string): Steps<Decoded> {
  const parser = new JsonParser(text);
  const value = yield* parser.parse();
  return parser.duplicates.size > 0 ? { value, duplicates: parser.duplicates } : { value };
}
