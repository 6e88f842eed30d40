import type { V1APIService } from '../generated/types.js';
import { validateDnsSubdomain } from '../core/validation/names.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { dns1035Label, nameIsPathSegment } from '../meta/validation/names.js';
import { portNumber } from '../meta/validation/numbers.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { timestamp } from '../meta/timestamp.js';

const SPEC = FieldPath.of('spec');
const STATES = ['True', 'False', 'Unknown'];

export const apiService = defineKind<V1APIService>({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  tracksGeneration: false,
  allowUnconditionalUpdate: false,
  validateName: nameIsPathSegment,
  defaults: (draft) => {
    if (draft.spec?.service !== undefined) draft.spec.service.port ??= 443;
    draft.status ??= {};
  },
  prepareForCreate: (draft, context) => {
    draft.status = {};
    if (draft.spec?.service !== undefined) return;
    const lastTransitionTime = timestamp(context.now);
    draft.status.conditions = [{ type: 'Available', status: 'True', lastTransitionTime, reason: 'Local', message: 'Local APIServices are always available' }];
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate,
  validateUpdate: validate,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        draft.metadata ??= {};
        restore(draft.metadata, old.metadata ?? {}, 'labels', 'annotations', 'finalizers', 'ownerReferences');
      },
      validateUpdate: (object) => (object.status?.conditions ?? []).flatMap(({ status = '' }, i) =>
        STATES.includes(status) ? [] : [notSupportedInOrder(FieldPath.of('status', 'conditions').index(i).child('status'), status, STATES)]),
    },
  },
  columns: [
    NAME,
    text('Service', (object) => (object.spec?.service === undefined ? 'Local' : `${object.spec.service.namespace ?? ''}/${object.spec.service.name ?? ''}`)),
    text('Available', (object) => {
      const condition = (object.status?.conditions ?? []).find(({ type }) => type === 'Available');
      if (condition === undefined) return 'Unknown';
      return condition.status !== 'True' && condition.reason ? `${condition.status} (${condition.reason})` : condition.status;
    }),
    AGE,
  ],
});

function validate(object: V1APIService): FieldError[] {
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0, service, caBundle = '', insecureSkipTLSVerify = false } = object.spec ?? {};
  const name = object.metadata?.name ?? '';
  const wanted = `${version}.${group}`;
  const errors: FieldError[] = [];
  const prefix = object.metadata?.generateName ?? '';
  const wrongName = `must be \`spec.version+"."+spec.group\`: "${wanted}"`;
  if (prefix !== '' && prefix !== wanted && nameIsPathSegment(prefix, true).length === 0) errors.push(invalid(FieldPath.of('metadata', 'generateName'), prefix, wrongName));
  if (name !== '' && name !== wanted && nameIsPathSegment(name, false).length === 0) {
    errors.push(invalid(FieldPath.of('metadata', 'name'), name, wrongName));
  }
  if (group === '' && version !== 'v1') errors.push(required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  if (group !== '') errors.push(...validateDnsSubdomain(group, SPEC.child('group')));
  errors.push(...dns1035Label(version).map((message) => invalid(SPEC.child('version'), version, message)));
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000) {
    errors.push(invalid(SPEC.child('groupPriorityMinimum'), groupPriorityMinimum, 'must be positive and less than 20000'));
  }
  if (versionPriority <= 0 || versionPriority > 1000) errors.push(invalid(SPEC.child('versionPriority'), versionPriority, 'must be positive and less than 1000'));
  if (service === undefined) {
    if (caBundle !== '') errors.push(invalid(SPEC.child('caBundle'), `${Buffer.byteLength(caBundle, 'base64')} bytes`, 'local APIServices may not have a caBundle'));
    if (insecureSkipTLSVerify) errors.push(invalid(SPEC.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'));
    return errors;
  }
  if (!service.namespace) errors.push(required(SPEC.child('service', 'namespace')));
  if (!service.name) errors.push(required(SPEC.child('service', 'name')));
  const wrongPort = portNumber(service.port ?? 0);
  if (wrongPort.length > 0) errors.push(invalid(SPEC.child('service', 'port'), service.port ?? 0, `port is not valid: ${wrongPort.join(', ')}`));
  if (insecureSkipTLSVerify && caBundle !== '') errors.push(invalid(SPEC.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'));
  return errors;
}
