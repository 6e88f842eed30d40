import type { ApplyType } from './apply-type.js';
import { isDictionary } from './atom.js';
import { compareObjects } from './compare.js';
import { difference, type FieldTree } from './field-tree.js';
import { fieldSetOf } from './field-set.js';
import { TypedError } from './typed-error.js';
import { checkTyped } from './validate.js';

/** Where client-side apply keeps its configuration. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** All annotations together may be this long (bytes). */
const MAX_ANNOTATIONS = 256 * 1024;

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
}

/** The fields that client-side apply owns: those of its last configuration that still are as it set them. Undefined when there is none that can be read. */
export function lastAppliedFields(type: ApplyType, apiVersion: string, live: Annotated): FieldTree | undefined {
  const text = live.metadata?.annotations?.[LAST_APPLIED];
  if (!text) return undefined;
  try {
    const config = JSON.parse(text) as unknown;
    if (!isDictionary(config) || config['apiVersion'] !== apiVersion) return undefined;
    checkTyped(type, config);
    const change = compareObjects(type, config, live, false);
    const fields = fieldSetOf(type, config);
    return change ? difference(difference(difference(fields, change.modified), change.added), change.removed) : fields;
  } catch (error) {
    if (error instanceof TypedError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Keeps the annotation of client-side apply, where there is one, up to date with a server-side apply. `present` is the object as it will be, `changed`
 * the same when the apply has changed it; returns the changed object, if it is one now.
 */
export function syncLastApplied(present: (object & Annotated) | undefined, changed: object | undefined, config: object & Annotated): object | undefined {
  const annotations = present?.metadata?.annotations;
  const before = annotations?.[LAST_APPLIED];
  if (!present || !before) return changed;
  const after = configText(config);
  if (after === before) return changed;
  const next: Record<string, string> = { ...annotations, [LAST_APPLIED]: after };
  if (sizeOf(next) > MAX_ANNOTATIONS) delete next[LAST_APPLIED];
  return { ...present, metadata: { ...present.metadata, annotations: next } };
}

/** The configuration without the annotation itself, as upstream writes it: keys sorted, a line end. */
function configText(config: object & Annotated): string {
  const { metadata } = config;
  if (metadata?.annotations === undefined) return `${JSON.stringify(sorted(config))}\n`;
  const { [LAST_APPLIED]: _own, ...annotations } = metadata.annotations;
  const { annotations: _all, ...rest } = metadata;
  return `${JSON.stringify(sorted({ ...config, metadata: Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest }))}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isDictionary(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  return Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}
