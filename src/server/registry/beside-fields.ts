import { RawJson } from '../../api/codec/raw-json.js';
import type { KubeObject } from '../../api/meta/object.js';

/*
 * Field sets are often more than half of an object, and protobuf carries them as JSON text. So they are cut out of the object's text: neither are
 * they parsed nor written again.
 */

const KEY = '"fieldsV1":';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Stands for a field set while the rest is parsed. */
const ASIDE = '"\\u0000"';
const PARSED_ASIDE = '\0';

/** Parses an object's JSON; the field sets of its managers come as {@link RawJson}. */
export function parseBesideFields(json: string): KubeObject {
  const { rest, sets } = cut(json);
  if (sets.length === 0) return JSON.parse(json) as KubeObject;
  // Something else may have the same name; then this was no way to do it.
  return withSets(JSON.parse(rest) as KubeObject, sets) ?? (JSON.parse(json) as KubeObject);
}

/** A parsed object with the field sets of its managers as {@link RawJson}; `text` gives that of one. */
export function withFieldsText(object: KubeObject, text: (fields: object) => string): KubeObject {
  const entries = object.metadata?.managedFields;
  if (entries === undefined || entries.length === 0) return object;
  const managedFields = entries.map((entry) => (typeof entry.fieldsV1 === 'object' && entry.fieldsV1 !== null ? { ...entry, fieldsV1: new RawJson(text(entry.fieldsV1)) } : entry));
  return { ...object, metadata: { ...object.metadata, managedFields } } as KubeObject;
}

/** Undefined when the sets are not those of the managers, all and alone. */
function withSets(object: KubeObject, sets: readonly string[]): KubeObject | undefined {
  const entries = object.metadata?.managedFields ?? [];
  let at = 0;
  const managedFields = entries.map((entry) => ((entry.fieldsV1 as unknown) === PARSED_ASIDE ? { ...entry, fieldsV1: new RawJson(sets[at++] ?? '') } : entry));
  return at === sets.length ? ({ ...object, metadata: { ...object.metadata, managedFields } } as KubeObject) : undefined;
}

/** Inside a string the name could not stand like this: its quotes would be escaped. */
function cut(json: string): { readonly rest: string; readonly sets: readonly string[] } {
  const sets: string[] = [];
  let rest = '';
  let from = 0;
  for (let key = json.indexOf(KEY); key >= 0; key = json.indexOf(KEY, from)) {
    const start = key + KEY.length;
    if (json.charCodeAt(start) !== OPEN) {
      rest += json.slice(from, start);
      from = start;
      continue;
    }
    const end = endOfObject(json, start);
    sets.push(json.slice(start, end));
    rest += json.slice(from, start) + ASIDE;
    from = end;
  }
  return { rest: rest + json.slice(from), sets };
}

function endOfObject(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === OPEN) depth++;
    else if (char === CLOSE) {
      if (--depth === 0) return at + 1;
    } else if (char === QUOTE) {
      for (at++; json.charCodeAt(at) !== QUOTE; at++) if (json.charCodeAt(at) === BACKSLASH) at++;
    }
  }
  return json.length;
}
