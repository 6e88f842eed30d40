import type { Draft } from '../draft.js';
import type { V1JobSpec, V1PodFailurePolicyOnExitCodesRequirement, V1PodFailurePolicyRule, V1SuccessPolicyRule } from '../generated/types.js';
import { podTemplateDefaults } from '../core/pod/defaults.js';
import { checkPodTemplate } from '../core/pod/template.js';
import { podTemplateWarnings } from '../core/pod/warnings.js';
import { checkCounters } from '../apps/workload-rules.js';
import { duplicate, invalid, notSupported, notSupportedInOrder, OMITTED, required, tooLong, tooMany, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { qualifiedName } from '../meta/validation/labels.js';
import { byteLength } from '../meta/validation/messages.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { validateDomainPrefixedPath } from '../meta/validation/text.js';
import { parseIndexes } from './indexes.js';

const MAX_INT32 = 2 ** 31 - 1;
const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Above so many completions the other limits are tighter. */
const MANY_COMPLETIONS = 100_000;
const MAX_OF_MANY = 10_000;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Defaults of the spec of a job or of a cron job's template. */
export function jobSpecDefaults(spec: Draft<V1JobSpec>): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
  for (const rule of spec.podFailurePolicy?.rules ?? []) for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  podTemplateDefaults((spec.template ??= {}));
}

/** Defaults of the spec inside a cron job: only those of its parts, the rest is filled in when a job is made. */
export function jobTemplateSpecDefaults(spec: Draft<V1JobSpec>): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  podTemplateDefaults((spec.template ??= {}));
}

/** Rules that jobs and the templates of cron jobs share. */
export function checkJobSpec(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  checkCounters(spec, ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes'], path, errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
  if (spec.managedBy !== undefined) {
    errors.push(...validateDomainPrefixedPath(spec.managedBy, path.child('managedBy')));
    if (byteLength(spec.managedBy) > 63) errors.push(tooLong(path.child('managedBy'), 63));
  }
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupportedInOrder(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']));
  }
  if (mode === 'Indexed') checkIndexed(spec, path, errors);
  if (mode === undefined || mode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[field] !== undefined) errors.push(invalid(path.child(field), spec[field], 'requires indexed completion mode'));
    }
  }
  if (spec.podFailurePolicy) checkFailurePolicy(spec, path.child('podFailurePolicy', 'rules'), errors);
  if (spec.successPolicy) checkSuccessPolicy(spec, path.child('successPolicy'), errors);
  checkReplacementPolicy(spec, path.child('podReplacementPolicy'), errors);
  checkPodTemplate(spec.template, path.child('template'), errors);
  checkRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy'), errors);
}

/** Warnings for a job's spec. */
export function jobSpecWarnings(spec: V1JobSpec | undefined, path: FieldPath): string[] {
  const warnings: string[] = [];
  if (spec?.completionMode === 'Indexed' && (spec.completions ?? 0) > MANY_COMPLETIONS && (spec.parallelism ?? 0) > MAX_OF_MANY) {
    warnings.push(`${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, `
      + 'Kubernetes might not be able to track completedIndexes when a big number of indexes fail');
  }
  return [...warnings, ...podTemplateWarnings(spec?.template, path.child('template'))];
}

function checkIndexed(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  const { completions, parallelism, maxFailedIndexes: maxFailed } = spec;
  const failedPath = path.child('maxFailedIndexes');
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism !== undefined && parallelism > MAX_INDEXED_PARALLELISM) {
    errors.push(invalid(path.child('parallelism'), parallelism, `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`));
  }
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) errors.push(invalid(failedPath, maxFailed, 'must be less than or equal to completions'));
  if (maxFailed !== undefined && maxFailed > MAX_FAILED_INDEXES) errors.push(invalid(failedPath, maxFailed, `must be less than or equal to ${MAX_FAILED_INDEXES}`));
  if (completions === undefined || completions <= MANY_COMPLETIONS || spec.backoffLimitPerIndex === undefined) return;
  const tight = `must be less than or equal to ${MAX_OF_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailed === undefined) errors.push(required(failedPath, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  if (parallelism !== undefined && parallelism > MAX_OF_MANY) errors.push(invalid(path.child('parallelism'), parallelism, tight));
  if (maxFailed !== undefined && maxFailed > MAX_OF_MANY) errors.push(invalid(failedPath, maxFailed, tight));
}

function checkRestartPolicy(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupportedInOrder(path, policy, ['OnFailure', 'Never']));
  else if (spec.podFailurePolicy && policy !== 'Never') errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
}

function checkReplacementPolicy(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  const policy = spec.podReplacementPolicy;
  const known = spec.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (policy !== undefined && !known.includes(policy)) errors.push(notSupported(path, policy, known));
}

function checkFailurePolicy(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy!.rules ?? [];
  if (rules.length > 20) errors.push(tooMany(path, rules.length, 20));
  const podSpec = spec.template?.spec;
  const names = new Set([...(podSpec?.containers ?? []), ...(podSpec?.initContainers ?? [])].map((container) => container.name));
  rules.forEach((rule, i) => checkFailureRule(spec, rule, names, path.index(i), errors));
}

function checkFailureRule(spec: V1JobSpec, rule: V1PodFailurePolicyRule, names: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  const action = rule.action ?? '';
  if (action === '') errors.push(required(path.child('action'), `valid values: ${listText(ACTIONS)}`));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) errors.push(invalid(path.child('action'), action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!ACTIONS.includes(action)) errors.push(notSupported(path.child('action'), action, ACTIONS));
  const conditions = rule.onPodConditions ?? [];
  if (rule.onExitCodes) checkExitCodes(rule.onExitCodes, names, path.child('onExitCodes'), errors);
  if (conditions.length > 20) errors.push(tooMany(path.child('onPodConditions'), conditions.length, 20));
  conditions.forEach((pattern, i) => {
    const at = path.child('onPodConditions').index(i);
    for (const message of qualifiedName(pattern.type ?? '')) errors.push(invalid(at.child('type'), pattern.type ?? '', message));
    if (!pattern.status) errors.push(required(at.child('status'), `valid values: ${listText(STATUSES)}`));
    else if (!STATUSES.includes(pattern.status)) errors.push(notSupported(at.child('status'), pattern.status, STATUSES));
  });
  if (rule.onExitCodes && conditions.length > 0) errors.push(invalid(path, OMITTED, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!rule.onExitCodes && conditions.length === 0) errors.push(invalid(path, OMITTED, 'specifying one of OnExitCodes and OnPodConditions is required'));
}

function checkExitCodes(codes: V1PodFailurePolicyOnExitCodesRequirement, names: ReadonlySet<string>, path: FieldPath, errors: FieldError[]): void {
  const { operator = '', containerName, values = [] } = codes;
  if (operator === '') errors.push(required(path.child('operator'), `valid values: ${listText(['In', 'NotIn'])}`));
  else if (operator !== 'In' && operator !== 'NotIn') errors.push(notSupported(path.child('operator'), operator, ['In', 'NotIn']));
  if (containerName !== undefined && !names.has(containerName)) {
    errors.push(invalid(path.child('containerName'), containerName, 'must be one of the container or initContainer names in the pod template'));
  }
  const at = path.child('values');
  if (values.length === 0) errors.push(invalid(at, codes.values ?? null, 'at least one value is required'));
  else if (values.length > 255) errors.push(tooMany(at, values.length, 255));
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) errors.push(invalid(at.index(i), value, 'must not be 0 for the In operator'));
    if (values.indexOf(value) < i) errors.push(duplicate(at.index(i), value));
  });
  if (values.some((value, i) => i > 0 && values[i - 1]! > value)) errors.push(invalid(at, values, 'must be ordered'));
}

function checkSuccessPolicy(spec: V1JobSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.completionMode !== 'Indexed') return void errors.push(invalid(path, spec.successPolicy, 'requires indexed completion mode'));
  const rules = spec.successPolicy!.rules ?? [];
  const at = path.child('rules');
  if (rules.length === 0) errors.push(required(at, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > 20) errors.push(tooMany(at, rules.length, 20));
  rules.forEach((rule, i) => checkSuccessRule(rule, spec.completions ?? 0, at.index(i), errors));
}

function checkSuccessRule(rule: V1SuccessPolicyRule, completions: number, path: FieldPath, errors: FieldError[]): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let total = 0;
  if (indexes !== undefined) {
    const at = path.child('succeededIndexes');
    if (byteLength(indexes) > 64 * 1024) errors.push(tooLong(at, 64 * 1024));
    const parsed = parseIndexes(indexes, completions);
    if (typeof parsed === 'string') errors.push(invalid(at, indexes, `error parsing succeededIndexes: ${parsed}`));
    else total = parsed.total;
  }
  if (count === undefined) return;
  const at = path.child('succeededCount');
  errors.push(...validateNonnegative(count, at));
  if (count > completions) errors.push(invalid(at, count, `must be less than or equal to ${completions} (the number of specified completions)`));
  if (indexes !== undefined && count > total) {
    errors.push(invalid(at, count, `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`));
  }
}

/** A list of strings as Go's `%q` prints it. */
function listText(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
