import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { StrategyContext, UpdateStrategy } from '../../api/scheme/kind.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { jsonEqual } from './equal.js';

type Fields = Record<string, unknown>;

/** The rules for one way to write objects of a resource; where the kind has none of its own, those that follow from its subresources. */
export function updateStrategy(resource: ServedResource, subresource: string): UpdateStrategy<KubeObject> {
  const { definition } = resource;
  if (subresource !== '') return definition.subresources?.[subresource] ?? (subresource === 'status' ? STATUS_STRATEGY : NOTHING_ELSE);
  return definition.prepareForUpdate || !resource.subresources.has('status') ? definition : { ...definition, prepareForUpdate: keepStatus };
}

/** Clears what a creator may not set. */
export function prepareForCreate(resource: ServedResource, draft: Draft<KubeObject>, context: StrategyContext): void {
  const { definition } = resource;
  if (definition.prepareForCreate) definition.prepareForCreate(draft, context);
  else if (resource.subresources.has('status')) delete (draft as Fields)['status'];
}

/** `metadata.generation` of a new object; undefined when the kind has none. */
export function firstGeneration(resource: ServedResource, draft: Draft<KubeObject>): number | undefined {
  return tracksGeneration(resource, draft) ? 1 : undefined;
}

/** Whether anything but metadata and status differs. `exact`: an empty list or map is not the same as none, as in custom kinds. */
export function specChanged(next: KubeObject, old: KubeObject, exact = false): boolean {
  const same = exact ? jsonEqual : deepEqual;
  const a = next as Fields;
  const b = old as Fields;
  for (const key of Object.keys(a)) if (isSpec(key) && !same(a[key], b[key])) return true;
  for (const key of Object.keys(b)) if (isSpec(key) && a[key] === undefined && !same(undefined, b[key])) return true;
  return false;
}

export function tracksGeneration(resource: ServedResource, object: KubeObject): boolean {
  return resource.definition.tracksGeneration ?? 'spec' in object;
}

function isSpec(key: string): boolean {
  return key !== 'metadata' && key !== 'status' && key !== 'kind' && key !== 'apiVersion';
}

function keepStatus(draft: Draft<KubeObject>, old: KubeObject): void {
  restore(draft as Fields, old as Fields, 'status');
}

/** Only `status` and the labels and annotations change. */
const STATUS_STRATEGY: UpdateStrategy<KubeObject> = {
  prepareForUpdate: (draft, old) => {
    const fields = draft as Fields;
    for (const key of new Set([...Object.keys(fields), ...Object.keys(old)])) if (isSpec(key)) restore(fields, old as Fields, key);
  },
};

const NOTHING_ELSE: UpdateStrategy<KubeObject> = {};

function restore(draft: Fields, old: Fields, key: string): void {
  if (old[key] === undefined) delete draft[key];
  else draft[key] = old[key];
}
