import type { V1Job, V1JobSpec, V1PodTemplateSpec } from '../generated/types.js';
import { isConditionTrue } from '../helpers/conditions.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { checkTemplateLabels, parseSelector } from '../apps/workload-rules.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { validateLabelSelector } from '../meta/validation/label-selector.js';
import { dns1123Label } from '../meta/validation/names.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { checkJobSpec } from './job-spec.js';

const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');

/** The labels that tie the pods of a job to it, old names first. */
export const CONTROLLER_UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'] as const;
export const JOB_NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'] as const;

/** Rules of a new job. */
export function validateJob(job: V1Job, old?: V1Job): FieldError[] {
  const errors: FieldError[] = [];
  checkGeneratedSelector(job, old, errors);
  checkSpec(job.spec, errors);
  const { completions = 0, completionMode } = job.spec ?? {};
  if (completionMode === 'Indexed' && completions > 0) {
    const name = job.metadata?.name ?? '';
    const hostname = `${name}-${completions - 1}`;
    if (dns1123Label(hostname).length > 0) {
      errors.push(invalid(FieldPath.of('metadata', 'name'), name, `will not able to create pod with invalid DNS label: ${hostname}`));
    }
  }
  return errors;
}

/** Rules of an updated job: upstream goes through those of a new one first, and through those of the spec once more. */
export function validateJobUpdate(job: V1Job, old: V1Job): FieldError[] {
  const errors = [...validateBuiltInMeta(job.metadata, { namespaced: true }), ...validateJob(job, old)];
  checkSpec(job.spec, errors);
  const { spec } = job;
  const oldSpec = old.spec;
  checkCompletions(spec, oldSpec, errors);
  errors.push(...validateImmutable(spec?.selector, oldSpec?.selector, SPEC.child('selector')));
  checkTemplateUpdate(job, old, errors);
  for (const field of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const) {
    errors.push(...validateImmutable(spec?.[field], oldSpec?.[field], SPEC.child(field), null));
  }
  return errors;
}

function checkSpec(spec: V1JobSpec | undefined, errors: FieldError[]): void {
  checkJobSpec(spec ?? { template: {} }, SPEC, errors);
  if (!spec?.selector) errors.push(required(SPEC.child('selector')));
  else errors.push(...validateLabelSelector(spec.selector, SPEC.child('selector')));
  const selector = parseSelector(spec?.selector);
  if (selector) checkTemplateLabels(selector, spec?.template, TEMPLATE, errors);
}

/** A selector that was not written by hand must be the generated one. A job that went without the prefixed labels may go on so. */
function checkGeneratedSelector(job: V1Job, old: V1Job | undefined, errors: FieldError[]): void {
  const { spec } = job;
  if (spec?.manualSelector === true || !spec?.selector) return;
  const uid = job.metadata?.uid ?? '';
  const name = job.metadata?.name ?? '';
  if (uid === '') errors.push(required(FieldPath.of('metadata', 'uid')));
  const expected: Record<string, string> = {};
  const before = old?.spec?.template.metadata?.labels ?? {};
  const isPrefixed = !old || (CONTROLLER_UID_LABELS[1] in before && JOB_NAME_LABELS[1] in before);
  for (const [i, key] of CONTROLLER_UID_LABELS.slice(0, isPrefixed ? 2 : 1).entries()) {
    checkHasLabel(spec.template, key, uid, errors);
    checkHasLabel(spec.template, JOB_NAME_LABELS[i]!, name, errors);
    expected[key] = uid;
    expected[JOB_NAME_LABELS[i]!] = name;
  }
  if (parseSelector(spec.selector)?.matches(expected) === false) errors.push(invalid(SPEC.child('selector'), spec.selector, '`selector` not auto-generated'));
}

function checkHasLabel(template: V1PodTemplateSpec | undefined, key: string, expected: string, errors: FieldError[]): void {
  const labels = template?.metadata?.labels;
  const path = TEMPLATE.child('metadata', 'labels').key(key);
  if (labels?.[key] === undefined) errors.push(required(path, `must be '${expected}'`));
  else if (labels[key] !== expected) errors.push(invalid(path, labels, `must be '${expected}'`));
}

/** Completions of indexed jobs may change together with parallelism. */
function checkCompletions(spec: V1JobSpec | undefined, old: V1JobSpec | undefined, errors: FieldError[]): void {
  const path = SPEC.child('completions');
  if (spec?.completionMode !== 'Indexed') return void errors.push(...validateImmutable(spec?.completions, old?.completions, path));
  const { completions } = spec;
  if (completions === undefined || completions === old?.completions || completions === spec.parallelism) return;
  errors.push(invalid(path, completions, 'can only be modified in tandem with spec.parallelism'));
}

/** While a job is suspended and nothing runs, where and with what its pods will run may still change. */
function checkTemplateUpdate(job: V1Job, old: V1Job, errors: FieldError[]): void {
  const suspended = old.spec?.suspend === true;
  const idle = suspended && (old.status?.startTime === undefined || isConditionTrue(old.status.conditions, 'Suspended')) && !old.status?.active;
  const template = job.spec?.template ?? {};
  let oldTemplate = old.spec?.template ?? {};
  if (!idle) return void errors.push(...validateImmutable(template, oldTemplate, TEMPLATE));
  oldTemplate = withSchedulingOf(oldTemplate, template);
  const oldSpec = withResourcesOf(oldTemplate, template);
  if (!deepEqual(template.spec, oldSpec)) errors.push(invalid(SPEC.child('template.spec'), template.spec, 'field is immutable'));
}

function withSchedulingOf(old: V1PodTemplateSpec, template: V1PodTemplateSpec): V1PodTemplateSpec {
  const { spec } = template;
  const affinity = { ...old.spec?.affinity, nodeAffinity: spec?.affinity?.nodeAffinity };
  const isEmpty = !affinity.nodeAffinity && !affinity.podAffinity && !affinity.podAntiAffinity;
  return {
    metadata: { ...old.metadata, annotations: template.metadata?.annotations, labels: template.metadata?.labels },
    spec: {
      ...old.spec,
      containers: old.spec?.containers ?? [],
      affinity: isEmpty && spec?.affinity === undefined ? undefined : affinity,
      nodeSelector: spec?.nodeSelector,
      tolerations: spec?.tolerations,
      schedulingGates: spec?.schedulingGates,
    },
  };
}

function withResourcesOf(old: V1PodTemplateSpec, template: V1PodTemplateSpec): V1PodTemplateSpec['spec'] {
  let result = old.spec ?? { containers: [] };
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = template.spec?.[list];
    const oldContainers = result[list];
    if (!containers || containers.length !== oldContainers?.length) continue;
    const merged = oldContainers.map((container, i) => (container.name === containers[i]!.name ? { ...container, resources: containers[i]!.resources } : container));
    result = { ...result, [list]: merged };
  }
  return result;
}
