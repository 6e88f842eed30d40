import { EVENT_ID, getScalarValue, loadAll, parseEvents, YAMLException, type Event } from 'js-yaml';
import { atOnce, type Steps } from '../../base/steps.js';
import { decodeError } from './decode-error.js';
import type { Decoded } from './decode-json.js';
import { MAX_DEPTH } from './json-parser.js';
import { countKeys, scanJson } from './json-scan.js';
import { MANIFEST_SCHEMA } from './yaml-schema.js';

/** More uses of anchors are refused. */
const MAX_ALIASES = 10_000;
/** The document may not grow beyond this many values per character by aliases, small ones aside. */
const MAX_GROWTH = 4;
const FREE_VALUES = 100_000;
/** Nor, by aliases of long texts, beyond its own length and this many characters. */
const FREE_CHARACTERS = 4 * 1024 * 1024;

const DUPLICATED = 'duplicated mapping key';

/**
 * Decodes the first document of a YAML text (JSON is YAML too). Duplicate keys come as strict errors. Throws `KUBE_CANNOT_DECODE`.
 */
export function decodeYaml(bytes: Buffer): Decoded {
  return atOnce(decodeYamlSteps(bytes));
}

/** {@link decodeYaml} with pauses. */
export function* decodeYamlSteps(bytes: Buffer): Steps<Decoded> {
  const text = bytes.toString();
  const json = yield* readJson(text);
  if (json !== undefined) return { value: json };
  try {
    return { value: yield* read(text, false) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (error.reason !== DUPLICATED) throw unreadableYaml(error);
  }
  try {
    return { value: yield* read(text, true), strictErrors: [`yaml: unmarshal errors:\n${duplicateKeys(text).map((line) => `  ${line}`).join('\n')}`] };
  } catch (error) {
    throw error instanceof YAMLException ? unreadableYaml(error) : error;
  }
}

/** Whether a text is JSON and means the same as YAML: then it is read quickly. */
export function* isJsonToYaml(bytes: Buffer): Steps<boolean> {
  return (yield* readJson(bytes.toString())) !== undefined;
}

/** What YAML reads otherwise than JSON does, or may: escapes of characters, line separators, what is not printable, merge keys, tabs. */
const NOT_ALIKE = /\\[u/]|"<<"|[\t\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

/** The value of a text that is JSON and means the same as YAML, as most clients send: many times faster. Undefined: it is to be read as YAML. */
function* readJson(text: string): Steps<object | undefined> {
  if (text[0] !== '{' || NOT_ALIKE.test(text)) return undefined;
  let value: object;
  try {
    value = JSON.parse(text) as object;
  } catch {
    return undefined;
  }
  yield;
  const { keys, depth, oddNumbers } = scanJson(text);
  yield;
  if (oddNumbers || depth > MAX_DEPTH || countKeys(value) !== keys) return undefined;
  yield;
  return sortedInPlace(value) as object;
}

/** Upstream's words where they are known; it does not name the first line. */
const REASONS: Readonly<Record<string, string>> = {
  'bad indentation of a mapping entry': 'mapping values are not allowed in this context',
  'tab characters must not be used in indentation': 'found character that cannot start any token',
};

/** An alias of nothing has no line there. */
const UNKNOWN_ALIAS = /^unidentified alias "(.*)"$/;

function unreadableYaml({ reason, mark }: YAMLException): Error {
  const alias = UNKNOWN_ALIAS.exec(reason)?.[1];
  if (alias !== undefined) return decodeError(`yaml: unknown anchor '${alias}' referenced`);
  return decodeError(yamlMessage(reason, mark?.line ?? 0));
}

/** `line` counts from 0. */
function yamlMessage(reason: string, line: number): string {
  return `yaml: ${line > 0 ? `line ${line + 1}: ` : ''}${REASONS[reason] ?? reason}`;
}

/** A tab before anything else in a text: the library reads over it where upstream's does not. */
const LEADING_TAB = /^(?: *(?:#[^\n]*)?\n)* *\t/;
const TAB = 'tab characters must not be used in indentation';

function* read(text: string, allowDuplicates: boolean): Steps<unknown> {
  const lead = LEADING_TAB.exec(text)?.[0];
  if (lead !== undefined) throw decodeError(yamlMessage(TAB, lead.split('\n').length - 1));
  const documents = loadAll(text, { schema: MANIFEST_SCHEMA, json: allowDuplicates, maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES }) as unknown[];
  const value = documents[0] ?? null;
  yield;
  if (text.includes('*')) limitGrowth(value, FREE_VALUES + text.length * MAX_GROWTH, FREE_CHARACTERS + text.length);
  return sorted(value);
}

/** A copy with the keys of all objects in order: upstream turns YAML into JSON first, where they are. Values that aliases share are shared no more. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // Numbers as they were written, and the like.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const object = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.keys(object).sort().map((key) => [key, sorted(object[key])]));
}

/** The same in place, for a value whose parts nobody else has. Objects whose keys are in order, as Go's encoder writes them, are left as they are. */
function sortedInPlace(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = sortedInPlace(value[i]);
    return value;
  }
  const object = value as Record<string, unknown>;
  let last = '';
  for (const key in object) {
    if (key < last || key === '__proto__') return sorted(object);
    last = key;
    const item = object[key];
    if (typeof item === 'object' && item !== null) object[key] = sortedInPlace(item);
  }
  return object;
}

/** Aliases share values, but whoever walks over the document meets them again and again; afterwards each use gets its own copy. */
function limitGrowth(root: unknown, values: number, characters: number): void {
  let left = values;
  let charactersLeft = characters;
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === 'string') charactersLeft -= value.length;
    if (--left < 0 || charactersLeft < 0 || depth > MAX_DEPTH) throw decodeError('yaml: document contains excessive aliasing');
    if (typeof value !== 'object' || value === null) return;
    for (const item of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) visit(item, depth + 1);
  };
  visit(root, 0);
}

interface Frame {
  readonly keys: Set<string> | undefined;
  /** Of mappings: the key whose value comes next. */
  key: string | undefined;
  /** Whether {@link key} was there before. */
  duplicate: boolean;
  valueLine: number;
}

/** `line 3: key "a" already set in map`, in the order in which values end. */
function duplicateKeys(text: string): string[] {
  const found: string[] = [];
  const frames: Frame[] = [];
  const lineAt = lineCounter(text);
  const ended = (): void => {
    const frame = frames[frames.length - 1];
    if (frame?.key === undefined) return;
    if (frame.duplicate) found.push(`line ${frame.valueLine}: key ${JSON.stringify(frame.key)} already set in map`);
    frame.key = undefined;
  };
  const begins = (offset: number): void => {
    const frame = frames[frames.length - 1];
    if (frame?.key !== undefined) frame.valueLine = lineAt(offset);
  };
  for (const event of parseEvents(text, { maxDepth: MAX_DEPTH })) {
    const frame = frames[frames.length - 1];
    switch (event.type) {
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        begins(startOf(event));
        frames.push({ keys: event.type === EVENT_ID.MAPPING ? new Set() : undefined, key: undefined, duplicate: false, valueLine: 0 });
        break;
      case EVENT_ID.POP:
        frames.pop();
        ended();
        break;
      case EVENT_ID.SCALAR:
        if (frame?.keys && frame.key === undefined) {
          frame.key = getScalarValue(text, event);
          frame.duplicate = frame.keys.has(frame.key);
          frame.keys.add(frame.key);
        } else {
          begins(startOf(event));
          ended();
        }
        break;
      case EVENT_ID.ALIAS:
        begins(startOf(event));
        ended();
    }
  }
  return found;
}

/** Numbers of lines by offset, counted on from the last one that was asked for: values begin one after the other. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let counted = 0;
  return (offset) => {
    if (offset < counted) [line, counted] = [1, 0];
    for (let at = text.indexOf('\n', counted); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
}

function startOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : 0;
}
