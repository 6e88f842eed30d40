import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
}

/** What is wrong with a document by one of the published schemas (`docs/schemas`); only the keywords that those use. */
export function schemaErrors(name: string, document: unknown): string[] {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/schemas', `${name}.schema.json`), 'utf8')) as Schema;
  return check(schema, document, '$');
}

function check(schema: Schema, value: unknown, path: string): string[] {
  const errors: string[] = [];
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  if (schema.type && ![schema.type].flat().includes(type)) errors.push(`${path} is ${type}`);
  if (schema.enum && !schema.enum.includes(value)) errors.push(`${path} is ${JSON.stringify(value)}`);
  if (schema.pattern && !new RegExp(schema.pattern).test(String(value))) errors.push(`${path} does not match ${schema.pattern}`);
  if (schema.items && Array.isArray(value)) value.forEach((item, i) => errors.push(...check(schema.items!, item, `${path}[${i}]`)));
  if (type === 'object') {
    const object = value as Record<string, unknown>;
    for (const key of schema.required ?? []) if (!(key in object)) errors.push(`${path}.${key} is missing`);
    for (const [key, entry] of Object.entries(object)) {
      const property = schema.properties?.[key];
      if (property) errors.push(...check(property, entry, `${path}.${key}`));
      else if (schema.additionalProperties === false) errors.push(`${path}.${key} is not in the schema`);
    }
  }
  return errors;
}
