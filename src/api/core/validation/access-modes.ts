import { forbidden, notSupported, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';

const SHORT: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'], ['ReadOnlyMany', 'ROX'], ['ReadWriteMany', 'RWX'], ['ReadWriteOncePod', 'RWOP'],
];
const MODES = SHORT.map(([mode]) => mode);

/** Rules of a list of access modes; that it is not empty is the caller's business. */
export function validateAccessModes(modes: readonly string[] | undefined, path: FieldPath): FieldError[] {
  const list = modes ?? [];
  const errors = list.filter((mode) => !MODES.includes(mode)).map((mode) => notSupported(path, mode, MODES));
  const known = list.filter((mode) => MODES.includes(mode));
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

/** `RWO,ROX`, as tables show them. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return SHORT.filter(([mode]) => (modes ?? []).includes(mode)).map(([, short]) => short).join(',');
}
