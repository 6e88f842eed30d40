import type { Steps } from '../../base/steps.js';
import type { V1JSONSchemaProps } from '../generated/types.js';
import { toDraft } from '../draft.js';
import { invalid, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { validateEmbedded } from './structural/embedded.js';
import { fieldErrorOf } from './structural/outcome.js';
import { prune } from './structural/prune.js';
import { SchemaNode } from './structural/schema-node.js';
import { SchemaValidator } from './structural/schema-validator.js';
import { aggregateText } from '../helpers/aggregate-text.js';

/** Marks the errors that definitions from before the rule may have, too. */
export const UNPRUNED_DEFAULT = 'must not have unknown fields';

/** How a value inside the metadata of an object becomes that object. */
export type Surround = (value: unknown) => unknown;

/** The default value of a schema must be a value of that schema, step by step. `resource`: it is that of a whole object. `surround`: the schema is part of metadata, and only says more about it. */
export function* validateDefault(schema: V1JSONSchemaProps, resource: boolean, surround: Surround | undefined, path: FieldPath): Steps<FieldError[]> {
  const value = schema.default as unknown;
  if (value === undefined || value === null) return [];
  const at = path.child('default');
  const node = new SchemaNode(schema, resource);
  const errors: FieldError[] = [];
  if (surround) {
    const wrong = validateEmbedded(surround(value), new SchemaNode({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, true), true);
    if (wrong.length > 0) return [invalid(at, value, `must result in valid metadata: ${textOf(wrong)}`)];
  } else {
    const copy = toDraft(value);
    if (typeof copy === 'object' && copy !== null && prune(copy, node, false).changed) errors.push(invalid(at, value, UNPRUNED_DEFAULT));
    const embedded = validateEmbedded(value, node, resource, at);
    if (embedded.length > 0) return [...errors, ...embedded];
  }
  const { problems } = yield* new SchemaValidator(schema).validateSteps(value);
  return [...errors, ...problems.map((problem) => fieldErrorOf(problem, at))];
}

function textOf(errors: readonly FieldError[]): string {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  return aggregateText(texts);
}
