import { toDraft, type Draft } from '../draft.js';
import type { KubeObject } from '../meta/object.js';
import type { FieldError } from '../meta/field-error.js';
import type { KindDefinition, StrategyContext } from './kind.js';

/** What strategies are told in tests: noon of 1 June 2026, `jane`. */
export const testContext: StrategyContext = { now: Date.UTC(2026, 5, 1, 12), userName: 'jane' };

/** New values by path (`spec/ports/0/port`); undefined removes. */
export type Changes = Readonly<Record<string, unknown>>;

/** A copy with other values at some paths; what lies on the way is made. */
export function changed<T extends KubeObject>(object: T, changes: Changes): T {
  const copy: unknown = toDraft(object);
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('/');
    let at = copy as Record<string, unknown>;
    for (const [i, key] of keys.slice(0, -1).entries()) at = (at[key] ??= /^\d+$/.test(keys[i + 1]!) ? [] : {}) as Record<string, unknown>;
    const last = keys.at(-1)!;
    if (value !== undefined) at[last] = value;
    else if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  }
  return copy as T;
}

/** An object with its defaults, as it is created. */
export function created<T extends KubeObject>(definition: KindDefinition<T>, object: T, context = testContext): T {
  const draft = toDraft(object);
  definition.defaults?.(draft);
  definition.prepareForCreate?.(draft, context);
  return draft as T;
}

/** The object after an update of `old` with `wanted`, before validation. */
export function updated<T extends KubeObject>(definition: KindDefinition<T>, old: T, wanted: T, subresource = '', context = testContext): T {
  const draft = toDraft(wanted) as Draft<T>;
  definition.defaults?.(draft);
  const strategy = subresource === '' ? definition : definition.subresources?.[subresource];
  strategy?.prepareForUpdate?.(draft, old, context);
  return draft as T;
}

/** `field: message` of every rule that a new object breaks. */
export function createErrors<T extends KubeObject>(definition: KindDefinition<T>, object: T, context = testContext): string[] {
  return lines(definition.validate?.(created(definition, object, context), context) ?? []);
}

/** The same for an update of `old` (an object as it is stored). */
export function updateErrors<T extends KubeObject>(definition: KindDefinition<T>, old: T, wanted: T, subresource = '', context = testContext): string[] {
  const next = updated(definition, old, wanted, subresource, context);
  const strategy = subresource === '' ? definition : definition.subresources?.[subresource];
  return lines(strategy?.validateUpdate?.(next, old, context) ?? []);
}

/** Cells of the `Table` form, at the time of {@link testContext}. */
export function cellsOf<T extends KubeObject>(definition: KindDefinition<T>, object: T): (string | number | boolean | null)[] {
  return (definition.columns ?? []).map((column) => column.cell(object, testContext.now));
}

function lines(errors: readonly FieldError[]): string[] {
  return errors.map((error) => `${error.field}: ${error.message}`);
}
