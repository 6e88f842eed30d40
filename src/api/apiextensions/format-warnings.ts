import type { V1CustomResourceDefinition, V1JSONSchemaProps } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { quote } from '../meta/field-error.js';
import { places } from './schema-places.js';
import { stringFormat } from './structural/formats.js';

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] };

/** Warnings of formats that nothing is checked by; those that were there before are not mentioned again. */
export function formatWarnings({ spec }: V1CustomResourceDefinition, old: V1CustomResourceDefinition | undefined): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old.spec));
  return [...new Set(unknownFormats(spec))].filter((format) => !before.has(format)).map((format) => `unrecognized format ${quote(format)}`);
}

function unknownFormats({ versions }: V1CustomResourceDefinition['spec']): string[] {
  return versions.flatMap(({ schema }) => {
    const root = schema?.openAPIV3Schema;
    return root === undefined ? [] : [...places(root, FieldPath.root)].flatMap((place) => (isKnown(place.schema) ? [] : [place.schema.format!]));
  });
}

function isKnown({ type, format }: V1JSONSchemaProps): boolean {
  if (format === undefined || format === '') return true;
  if (type === undefined || type === '' || type === 'string') return stringFormat(format) !== undefined;
  return NUMBER_FORMATS[type]?.includes(format) ?? false;
}
