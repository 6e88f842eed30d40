import type {
  V1ExemptPriorityLevelConfiguration, V1LimitResponse, V1LimitedPriorityLevelConfiguration, V1PriorityLevelConfiguration, V1PriorityLevelConfigurationSpec,
  V1QueuingConfiguration,
} from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore, restoreAllMetadata } from '../scheme/restore.js';
import { validateStatusConditions } from './conditions.js';
import { MANDATORY_PRIORITY_LEVELS } from './mandatory.js';

const SPEC = FieldPath.of('spec');
const PRESERVE_ZERO = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const MAX_QUEUES = 10_000_000;
/** More bits cannot be had from a hash of 64. */
const MAX_ENTROPY_BITS = 60;

export const priorityLevelConfiguration = defineKind<V1PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  defaults: (draft) => {
    const { exempt, limited } = draft.spec ?? {};
    if (exempt !== undefined) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (limited !== undefined) {
      limited.nominalConcurrencyShares ??= 30;
      limited.lendablePercent ??= 0;
      const queuing = limited.limitResponse?.queuing;
      if (queuing !== undefined) {
        queuing.handSize ||= 8;
        queuing.queues ||= 64;
        queuing.queueLengthLimit ||= 50;
      }
    }
    draft.status ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = {};
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate,
  validateUpdate: validate,
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        restoreAllMetadata(draft, old);
      },
      validateUpdate: (object) => validateStatusConditions(object.status?.conditions),
    },
  },
  columns: [
    NAME,
    text('Type', (object) => object.spec?.type ?? ''),
    text('NominalConcurrencyShares', (object) => object.spec?.limited?.nominalConcurrencyShares ?? '<none>'),
    text('Queues', (object) => queuing(object)?.queues ?? '<none>'),
    text('HandSize', (object) => queuing(object)?.handSize ?? '<none>'),
    text('QueueLengthLimit', (object) => queuing(object)?.queueLengthLimit ?? '<none>'),
    AGE,
  ],
});

function queuing(object: V1PriorityLevelConfiguration): V1QueuingConfiguration | undefined {
  return object.spec?.limited?.limitResponse?.queuing;
}

function validate(object: V1PriorityLevelConfiguration): FieldError[] {
  const name = object.metadata?.name ?? '';
  const errors: FieldError[] = [];
  if (object.metadata?.annotations?.[PRESERVE_ZERO] !== undefined) {
    errors.push(forbidden(FieldPath.of('metadata', 'annotations'), `annotation '${PRESERVE_ZERO}' is forbidden`));
  }
  errors.push(...validateSpec(name, object.spec), ...validateMandatory(name, object.spec));
  return [...errors, ...validateStatusConditions(object.status?.conditions)];
}

function validateMandatory(name: string, spec: V1PriorityLevelConfigurationSpec | undefined): FieldError[] {
  const wanted = MANDATORY_PRIORITY_LEVELS.get(name);
  if (wanted === undefined) return [];
  if (name === 'exempt') {
    return deepEqual({ ...spec, exempt: wanted.exempt }, wanted) ? [] : [invalid(SPEC, spec, "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value")];
  }
  return deepEqual(spec, wanted) ? [] : [invalid(SPEC, spec, `spec of '${name}' must equal the fixed value`)];
}

function validateSpec(name: string, spec: V1PriorityLevelConfigurationSpec | undefined): FieldError[] {
  const { type = '', exempt, limited } = spec ?? {};
  const errors: FieldError[] = [];
  if ((name === 'exempt') !== (type === 'Exempt')) errors.push(invalid(SPEC.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited'));
    if (exempt !== undefined) errors.push(...validateExempt(exempt, SPEC.child('exempt')));
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.push(forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited'));
    errors.push(...(limited === undefined ? [required(SPEC.child('limited'), 'must not be empty when type is Limited')] : validateLimited(limited, SPEC.child('limited'))));
  } else errors.push(notSupported(SPEC.child('type'), type, ['Exempt', 'Limited']));
  return errors;
}

function validateShares(shares: number | undefined, path: FieldPath): FieldError[] {
  return (shares ?? 0) < 0 ? [invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : [];
}

function validateLendable(percent: number | undefined, path: FieldPath): FieldError[] {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [invalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')];
}

function validateExempt(exempt: V1ExemptPriorityLevelConfiguration, path: FieldPath): FieldError[] {
  return [...validateShares(exempt.nominalConcurrencyShares, path), ...validateLendable(exempt.lendablePercent, path)];
}

function validateLimited(limited: V1LimitedPriorityLevelConfiguration, path: FieldPath): FieldError[] {
  const borrowing = limited.borrowingLimitPercent;
  return [
    ...validateShares(limited.nominalConcurrencyShares, path),
    ...validateLimitResponse(limited.limitResponse, path.child('limitResponse')),
    ...validateLendable(limited.lendablePercent, path),
    ...((borrowing ?? 0) < 0 ? [invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer')] : []),
  ];
}

function validateLimitResponse(response: V1LimitResponse | undefined, path: FieldPath): FieldError[] {
  const type = response?.type ?? '';
  const at = path.child('queuing');
  if (type === 'Reject') return response?.queuing === undefined ? [] : [forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')];
  if (type !== 'Queue') return [notSupported(path.child('type'), type, ['Queue', 'Reject'])];
  return response?.queuing === undefined ? [required(at, 'must not be empty if limited.limitResponse.type is Limited')] : validateQueuing(response.queuing, at);
}

function validateQueuing(config: V1QueuingConfiguration, path: FieldPath): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = config;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0) errors.push(invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES) errors.push(invalid(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  const at = path.child('handSize');
  if (handSize <= 0) errors.push(invalid(at, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalid(at, handSize, `should not be greater than queues (${queues})`));
  else if (Math.ceil(Math.log2(queues) * handSize) > MAX_ENTROPY_BITS) {
    errors.push(invalid(at, handSize, `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_ENTROPY_BITS}`));
  }
  return errors;
}
