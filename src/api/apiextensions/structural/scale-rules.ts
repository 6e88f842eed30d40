import type { V1CustomResourceSubresourceScale } from '../../generated/types.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import type { KubeObject } from '../../meta/object.js';

const MAX_INT32 = 2147483647;

/** The wanted replicas must be a number of replicas. */
export function scaleSpecErrors(object: KubeObject, scale: V1CustomResourceSubresourceScale | undefined): FieldError[] {
  return scale === undefined ? [] : replicaErrors(object, scale.specReplicasPath);
}

/** The present replicas and the selector must be what a scale can show. */
export function scaleStatusErrors(object: KubeObject, scale: V1CustomResourceSubresourceScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = replicaErrors(object, scale.statusReplicasPath);
  const path = scale.labelSelectorPath ?? '';
  const selector = path === '' ? undefined : valueAt(object, path);
  if (selector !== undefined && typeof selector !== 'string') errors.push(invalid(FieldPath.of(path), '', `${path} accessor error: ${JSON.stringify(selector)} is of the type ${goType(selector)}, expected string`));
  return errors;
}

/** The value at a dotted path, as the definitions of scales have it. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.replace(/^\./, '').split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function replicaErrors(object: KubeObject, path: string): FieldError[] {
  const value = valueAt(object, path);
  const at = FieldPath.of(path);
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value)) return [invalid(at, 0, `${path} accessor error: ${JSON.stringify(value)} is of the type ${goType(value)}, expected int64`)];
  if (value < 0) return [invalid(at, value, 'should be a non-negative integer')];
  return value > MAX_INT32 ? [invalid(at, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}

function goType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
