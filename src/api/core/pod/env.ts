import type { V1ConfigMapKeySelector, V1EnvFromSource, V1EnvVar, V1FileKeySelector } from '../../generated/types.js';
import { invalid, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain } from '../../meta/validation/names.js';
import { configMapKey, envVarName } from '../../meta/validation/text.js';
import { checkFieldRef, checkResourceFieldRef, ENV_FIELDS } from './field-refs.js';
import { checkNoBacksteps } from './paths.js';

/** Rules of `env`. */
export function checkEnv(vars: readonly V1EnvVar[] | undefined, path: FieldPath, errors: FieldError[]): void {
  vars?.forEach((variable, i) => {
    const at = path.index(i);
    if (!variable.name) errors.push(required(at.child('name')));
    else for (const message of envVarName(variable.name)) errors.push(invalid(at.child('name'), variable.name, message));
    if (variable.valueFrom !== undefined) checkValueFrom(variable, at.child('valueFrom'), errors);
  });
}

function checkValueFrom(variable: V1EnvVar, path: FieldPath, errors: FieldError[]): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = variable.valueFrom!;
  if (fieldRef) checkFieldRef(fieldRef, ENV_FIELDS, path.child('fieldRef'), errors);
  if (resourceFieldRef) checkResourceFieldRef(resourceFieldRef, false, path.child('resourceFieldRef'), errors);
  if (configMapKeyRef) checkKeyRef(configMapKeyRef, path.child('configMapKeyRef'), errors);
  if (secretKeyRef) checkKeyRef(secretKeyRef, path.child('secretKeyRef'), errors);
  if (fileKeyRef) checkFileKeyRef(fileKeyRef, path.child('fileKeyRef'), errors);
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter((source) => source !== undefined).length;
  if (count === 0) errors.push(invalid(path, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'));
  else if (variable.value) errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
}

function checkKeyRef(ref: V1ConfigMapKeySelector, path: FieldPath, errors: FieldError[]): void {
  const name = ref.name ?? '';
  for (const message of dns1123Subdomain(name)) errors.push(invalid(path.child('name'), name, message));
  if (!ref.key) errors.push(required(path.child('key')));
  else for (const message of configMapKey(ref.key)) errors.push(invalid(path.child('key'), ref.key, message));
}

function checkFileKeyRef(ref: V1FileKeySelector, path: FieldPath, errors: FieldError[]): void {
  if (!ref.key) errors.push(required(path.child('key')));
  else for (const message of envVarName(ref.key)) errors.push(invalid(path.child('key'), ref.key, message));
  if (!ref.volumeName) errors.push(required(path.child('volumeName')));
  else for (const message of dns1123Label(ref.volumeName)) errors.push(invalid(path.child('volumeName'), ref.volumeName, message));
  if (!ref.path) errors.push(required(path.child('path')));
  else checkNoBacksteps(ref.path, path.child('path'), errors);
}

/** Rules of `envFrom`. */
export function checkEnvFrom(sources: readonly V1EnvFromSource[] | undefined, path: FieldPath, errors: FieldError[]): void {
  sources?.forEach((source, i) => {
    const at = path.index(i);
    if (source.prefix) for (const message of envVarName(source.prefix)) errors.push(invalid(at.child('prefix'), source.prefix, message));
    let count = 0;
    for (const kind of ['configMapRef', 'secretRef'] as const) {
      const ref = source[kind];
      if (!ref) continue;
      count++;
      if (!ref.name) errors.push(required(at.child(kind, 'name')));
      else for (const message of nameIsDnsSubdomain(ref.name, true)) errors.push(invalid(at.child(kind, 'name'), ref.name, message));
    }
    if (count === 0) errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  });
}
