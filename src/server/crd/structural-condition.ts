import { run } from '../../base/steps.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { structuralErrors } from '../../api/apiextensions/schema-validation.js';
import { unsupportedText } from '../../api/apiextensions/schema-places.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { findCondition } from '../../api/helpers/conditions.js';
import type { NewCondition } from './definition-status.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';

/** Type of the condition of definitions whose schemas are not structural. */
export const NON_STRUCTURAL = 'NonStructuralSchema';

/**
 * Whether a definition may be one that is not structural. No new one can be, so that those stored before are looked at only where they say so themselves:
 * a start with hundreds of definitions does not go through all of their schemas.
 */
export function mayBreakStructure({ spec, status }: V1CustomResourceDefinition): boolean {
  return spec.preserveUnknownFields === true || findCondition(status?.conditions, NON_STRUCTURAL) !== undefined;
}

/** The condition that says what is not structural in a definition; undefined: all of it is. */
export async function structuralCondition({ spec }: V1CustomResourceDefinition): Promise<NewCondition | undefined> {
  const texts: string[] = [];
  if (spec.preserveUnknownFields) texts.push('spec.preserveUnknownFields: Invalid value: true: must be false');
  for (const [i, { name, schema }] of spec.versions.entries()) {
    if (!schema?.openAPIV3Schema) continue;
    const path = FieldPath.of('spec').child('versions').index(i).child('schema', 'openAPIV3Schema');
    const unsupported = unsupportedText(schema.openAPIV3Schema);
    if (unsupported !== '') return { type: NON_STRUCTURAL, status: 'Unknown', reason: 'StructuralError', message: `failed to check validation schema for version ${name}: ${unsupported}` };
    for (const { field, message } of await run(structuralErrors(schema.openAPIV3Schema, path))) texts.push(`${field}: ${message}`);
  }
  const unique = [...new Set(texts)];
  if (unique.length === 0) return undefined;
  return { type: NON_STRUCTURAL, status: 'True', reason: 'Violations', message: aggregateText(unique) };
}
