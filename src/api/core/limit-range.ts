import type { Draft } from '../draft.js';
import type { V1LimitRange, V1LimitRangeItem } from '../generated/types.js';
import { isOvercommitAllowed } from '../helpers/resource-names.js';
import { duplicate, forbidden, invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { qualifiedName } from '../meta/validation/labels.js';
import { Quantity } from '../quantity.js';
import { defineKind } from '../scheme/kind.js';
import { canonicalizeResourceList, quantityOf } from './validation/quantities.js';
import { validateContainerResourceName, validateResourceName } from './validation/resource-names.js';

const LIMITS = FieldPath.of('spec', 'limits');
const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
/** Above it thousandths do not fit into 64 bits. */
const MAX_MILLI = 2 ** 63 / 1000;

export const limitRange = defineKind<V1LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  defaults: (draft) => {
    for (const item of draft.spec?.limits ?? []) defaultItem(item);
  },
  prepareForCreate: ({ metadata }) => {
    if (metadata && !metadata.name) metadata.name = metadata.uid;
  },
  validate,
  validateUpdate: validate,
});

function defaultItem(item: Draft<V1LimitRangeItem>): void {
  for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) canonicalizeResourceList(list);
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

function validate(object: V1LimitRange): FieldError[] {
  const seen = new Set<string>();
  return (object.spec?.limits ?? []).flatMap((item, i) => {
    const path = LIMITS.index(i);
    const type = item.type ?? '';
    const errors = validateType(type, path.child('type'));
    if (seen.has(type)) errors.push(duplicate(path.child('type'), type));
    seen.add(type);
    return [...errors, ...validateItem(item, path)];
  });
}

function validateType(type: string, path: FieldPath): FieldError[] {
  const errors = qualifiedName(type).map((message) => invalid(path, type, message));
  if (errors.length === 0 && !type.includes('/') && !TYPES.includes(type)) errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'));
  return errors;
}

function validateItem(item: V1LimitRangeItem, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const check = item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
  const take = (field: 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'): void => {
    for (const name of Object.keys(item[field] ?? {})) {
      errors.push(...check(name, path.child(field).key(name)));
      names.add(name);
    }
  };
  take('max');
  take('min');
  for (const field of ['default', 'defaultRequest'] as const) {
    if (item.type !== 'Pod') take(field);
    else if (Object.keys(item[field] ?? {}).length > 0) errors.push(forbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
  }
  if (item.type === 'PersistentVolumeClaim' && item.min?.['storage'] === undefined && item.max?.['storage'] === undefined) {
    errors.push(required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'));
  }
  take('maxLimitRequestRatio');
  for (const name of names) errors.push(...validateResource(item, name, path));
  return errors;
}

/** The amounts of one resource must fit together: min <= defaultRequest <= default <= max. */
function validateResource(item: V1LimitRangeItem, name: string, path: FieldPath): FieldError[] {
  const isPod = item.type === 'Pod';
  const amount = (text: string | undefined): Quantity | undefined => (text === undefined ? undefined : quantityOf(text));
  const min = amount(item.min?.[name]);
  const max = amount(item.max?.[name]);
  const limit = isPod ? undefined : amount(item.default?.[name]);
  const request = isPod ? undefined : amount(item.defaultRequest?.[name]);
  const ratio = amount(item.maxLimitRequestRatio?.[name]);
  const over = (a: Quantity | undefined, b: Quantity | undefined): boolean => a !== undefined && b !== undefined && a.compare(b) > 0;
  const errors: FieldError[] = [];
  const report = (field: string, shown: Quantity | undefined, message: string): void => {
    errors.push(invalid(path.child(field).key(name), String(shown), message));
  };
  if (over(min, max)) report('min', min, `min value ${min} is greater than max value ${max}`);
  if (over(min, request)) report('defaultRequest', request, `min value ${min} is greater than default request value ${request}`);
  if (over(request, max)) report('defaultRequest', request, `default request value ${request} is greater than max value ${max}`);
  if (over(request, limit)) report('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`);
  if (over(min, limit)) report('default', min, `min value ${min} is greater than default value ${limit}`);
  if (over(limit, max)) report('default', max, `default value ${limit} is greater than max value ${max}`);
  if (over(Quantity.of(1), ratio)) report('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`);
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const bound = largestRatio(ratio, min, max);
    if (bound.ratio > bound.limit) report('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${goFloat(bound.limit)}`);
  }
  if (!isOvercommitAllowed(name) && limit !== undefined && request !== undefined && limit.compare(request) !== 0) {
    report('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`);
  }
  return errors;
}

function largestRatio(ratio: Quantity, min: Quantity, max: Quantity): { ratio: number; limit: number } {
  const small = [ratio, min, max].every((quantity) => quantity.value() < MAX_MILLI);
  return small
    ? { ratio: ratio.milliValue() / 1000, limit: max.milliValue() / min.milliValue() }
    : { ratio: ratio.value(), limit: max.value() / min.value() };
}

function goFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? value.toFixed(6) : value > 0 ? '+Inf' : '-Inf';
}
