import { isIntegerResource } from '../../helpers/resource-names.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { canonicalQuantity, Quantity } from '../../quantity.js';


/** A resource list: amounts by resource name. */
export type ResourceList = Readonly<Record<string, string>>;

const SIMPLE = /^[0-9]+(m|k|M|G|Ki|Mi|Gi|Ti)?$/;

/** The amount of a quantity's text; zero when it is absent or no quantity. */
export function quantityOf(text: string | undefined): Quantity {
  if (text === undefined) return Quantity.zero;
  try {
    return Quantity.parse(text);
  } catch {
    return Quantity.zero;
  }
}

/** Rewrites the amounts the way they are answered: canonical, and rounded up to thousandths unless told otherwise. Text that is no quantity stays. */
export function canonicalizeResourceList(list: Record<string, string> | undefined, round = true): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const text = list[name]!;
    try {
      if (SIMPLE.test(text)) list[name] = canonicalQuantity(text);
      else list[name] = (round ? Quantity.parse(text).roundUp(-3) : Quantity.parse(text)).toString();
    } catch {
      // The decoder is the one that refuses it.
    }
  }
}

export function validateNonnegativeQuantity(text: string, path: FieldPath): FieldError[] {
  const quantity = quantityOf(text);
  return quantity.sign < 0 ? [invalid(path, quantity.toString(), 'must be greater than or equal to 0')] : [];
}

export function validatePositiveQuantity(text: string, path: FieldPath): FieldError[] {
  const quantity = quantityOf(text);
  return quantity.sign <= 0 ? [invalid(path, quantity.toString(), 'must be greater than zero')] : [];
}

/** The weaker rule of capacities in volumes. */
export function validateBasicQuantity(text: string, path: FieldPath): FieldError[] {
  const value = quantityOf(text).value();
  return value < 0 ? [invalid(path, value, 'must be a valid resource quantity')] : [];
}

/** Not negative, and a whole number for resources that are counted. */
export function validateResourceQuantity(name: string, text: string, path: FieldPath): FieldError[] {
  const errors = validateNonnegativeQuantity(text, path);
  if (isIntegerResource(name)) {
    const quantity = quantityOf(text);
    if (!quantity.roundUp(-3).equals(Quantity.of(quantity.scaled(0)))) errors.push(invalid(path, quantity.toString(), 'must be an integer'));
  }
  return errors;
}
