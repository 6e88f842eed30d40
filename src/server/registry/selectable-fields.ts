import type { KubeObject } from '../../api/meta/object.js';
import type { KindDefinition } from '../../api/scheme/kind.js';
import type { FieldReader } from './selection.js';

/** Fields that every kind can be selected by. */
export const COMMON_FIELDS: readonly string[] = ['metadata.name', 'metadata.namespace'];

/** Reads the selectable fields of one kind; unknown ones are empty. */
export function fieldReader(definition: KindDefinition): FieldReader {
  return (object: KubeObject, field: string): string => {
    if (field === 'metadata.name') return object.metadata?.name ?? '';
    if (field === 'metadata.namespace') return object.metadata?.namespace ?? '';
    return definition.selectableFields?.[field]?.(object) ?? '';
  };
}
