import type { V1IngressClass, V1IngressClassParametersReference } from '../generated/types.js';
import { validateDnsLabel } from '../core/validation/names.js';
import { forbidden, notSupported, required, tooLong, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { byteLength } from '../meta/validation/messages.js';
import { validateDomainPrefixedPath } from '../meta/validation/text.js';
import { AGE, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateTypedReference } from './object-reference.js';

const CONTROLLER = FieldPath.of('spec', 'controller');
const PARAMETERS = FieldPath.of('spec', 'parameters');
const MAX_CONTROLLER = 250;

export const ingressClass = defineKind<V1IngressClass>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IngressClass',
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    if (spec.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
  },
  validate,
  validateUpdate: (object, old) => [...validateImmutable(object.spec?.controller, old.spec?.controller, CONTROLLER), ...validate(object)],
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: nameText },
    text('Controller', (object) => object.spec?.controller ?? ''),
    text('Parameters', (object) => {
      const parameters = object.spec?.parameters;
      if (parameters === undefined) return '<none>';
      return `${parameters.kind}${parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`}/${parameters.name}`;
    }),
    AGE,
  ],
});

function validate(object: V1IngressClass): FieldError[] {
  const controller = object.spec?.controller ?? '';
  return [
    ...(byteLength(controller) > MAX_CONTROLLER ? [tooLong(CONTROLLER, MAX_CONTROLLER)] : []),
    ...validateDomainPrefixedPath(controller, CONTROLLER),
    ...(object.spec?.parameters === undefined ? [] : validateParameters(object.spec.parameters)),
  ];
}

function validateParameters(parameters: V1IngressClassParametersReference): FieldError[] {
  const { scope, namespace } = parameters;
  const errors = validateTypedReference(parameters, PARAMETERS);
  const at = PARAMETERS.child('namespace');
  if (scope === undefined) errors.push(required(PARAMETERS.child('scope')));
  else if (scope === 'Namespace') {
    errors.push(...(namespace === undefined ? [required(at, "`parameters.scope` is set to 'Namespace'")] : validateDnsLabel(namespace, at)));
  } else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbidden(at, "`parameters.scope` is set to 'Cluster'"));
  } else errors.push(notSupported(PARAMETERS.child('scope'), scope, ['Cluster', 'Namespace']));
  return errors;
}

function nameText(object: V1IngressClass): string {
  const isDefault = object.metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
  return `${object.metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
}
