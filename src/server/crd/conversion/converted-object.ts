import { jsonKind } from '../../../api/codec/type-meta.js';
import { toDraft, type Draft } from '../../../api/draft.js';
import type { FieldError } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { parseApiVersion, type KubeObject } from '../../../api/meta/object.js';
import { validateAnnotations, validateLabels } from '../../../api/meta/validation/labels.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';
import { isObject } from '../../../api/patch/json.js';

type Dictionary = Record<string, unknown>;

/** Why a converted object is not taken; the text follows `conversion webhook for … `. */
export class ConvertedObjectError extends Error {
  override readonly name = 'ConvertedObjectError';

  constructor(
    message: string,
    /** Nothing is put before the text. */
    readonly alone = false,
  ) {
    super(message);
  }
}

/**
 * The object that a webhook answered with in place of `original`: of the wanted version, the same object, and with the original's metadata but for labels and
 * annotations, which the webhook may change. Throws {@link ConvertedObjectError}.
 */
export function acceptConverted(original: KubeObject, answered: unknown, apiVersion: string): Draft<KubeObject> {
  const converted = toDraft(readObject(answered)) as Dictionary;
  checkKind(original, converted, apiVersion);
  const { name = '', namespace = '', uid = '' } = original.metadata ?? {};
  const given = isObject(converted['metadata']) ? converted['metadata'] : {};
  const same = (what: string, expected: string, actual: unknown): void => {
    const text = typeof actual === 'string' ? actual : '';
    if (expected !== text) throw new ConvertedObjectError(`returned invalid object: must have the same ${what}: ${expected} != ${text}`);
  };
  same('name', name, given['name']);
  same('namespace', namespace, given['namespace']);
  same('UID', uid, given['uid']);
  converted['metadata'] = metadataOf(original, converted);
  return converted as Draft<KubeObject>;
}

function readObject(answered: unknown): Dictionary {
  if (answered === null || answered === undefined) throw new ConvertedObjectError('unexpected end of JSON input', true);
  if (!isObject(answered)) throw new ConvertedObjectError(`json: cannot unmarshal ${jsonKind(answered)} into Go value of type map[string]interface {}`, true);
  const { apiVersion = '', kind } = answered;
  if (typeof kind !== 'string' || kind === '' || typeof apiVersion !== 'string' || (apiVersion !== '' && !parseApiVersion(apiVersion))) {
    throw new ConvertedObjectError(`Object 'Kind' is missing in '${JSON.stringify(answered)}'`, true);
  }
  return answered;
}

function checkKind(original: KubeObject, converted: Dictionary, apiVersion: string): void {
  const { kind } = converted;
  const actual = typeof converted['apiVersion'] === 'string' ? converted['apiVersion'] : '';
  const told = (what: string, expected: string, received: string): never => {
    throw new ConvertedObjectError(`returned invalid object at index 0: invalid ${what} (expected ${expected}, received ${received})`);
  };
  if (actual !== apiVersion) told('groupVersion', apiVersion, actual);
  if (kind !== original.kind) told('kind', original.kind ?? '', kind as string);
}

function metadataOf(original: KubeObject, converted: Dictionary): Dictionary {
  const given = converted['metadata'];
  const wrong = (text: string): never => {
    throw new ConvertedObjectError(`returned invalid metadata: ${text}`);
  };
  if (!Object.hasOwn(converted, 'metadata')) wrong('missing metadata in converted object');
  if (!isObject(given)) return wrong(`invalid metadata of type ${goType(given)} in converted object`);
  const metadata = toDraft(original).metadata as Dictionary;
  for (const field of ['labels', 'annotations'] as const) {
    const map = given[field];
    if (map === undefined || map === null) {
      delete metadata[field];
      continue;
    }
    if (!isObject(map)) return wrong(`invalid metadata.${field} of type ${goType(map)} in converted object`);
    for (const [key, value] of Object.entries(map)) if (typeof value !== 'string') wrong(`metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`);
    if (differs(metadata[field], map)) {
      const labels = map as Record<string, string>;
      const errors = field === 'labels' ? validateLabels(labels, FieldPath.of('metadata', 'labels')) : validateAnnotations(labels, FieldPath.of('metadata', 'annotation'));
      if (errors.length > 0) wrong(textOf(errors));
    }
    metadata[field] = map;
  }
  return metadata;
}

function differs(before: unknown, after: Dictionary): boolean {
  const old = isObject(before) ? before : {};
  return Object.keys(old).length !== Object.keys(after).length || Object.entries(after).some(([key, value]) => old[key] !== value);
}

function textOf(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return aggregateText(texts);
}

function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'boolean':
      return 'bool';
    default:
      return typeof value;
  }
}
