import { invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateEnum } from '../../meta/validation/enums.js';
import type { V1HostPathVolumeSource } from '../../generated/types.js';

const TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

export function validateHostPath(source: V1HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (!source.path) return [required(path.child('path'))];
  const errors = validateNoBacksteps(source.path, path.child('path'));
  if (source.type !== undefined) errors.push(...validateEnum(source.type, TYPES, path.child('type')));
  return errors;
}

/** No `..` as a part of the path. */
export function validateNoBacksteps(target: string, path: FieldPath): FieldError[] {
  return target.split('/').includes('..') ? [invalid(path, target, "must not contain '..'")] : [];
}
