import type { Draft } from '../draft.js';
import type { V1Job, V1JobSpec } from '../generated/types.js';
import { containerColumns } from '../apps/workload-columns.js';
import { podNameWarnings } from '../apps/workload-rules.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { isConditionTrue } from '../helpers/conditions.js';
import { humanDuration } from '../helpers/duration.js';
import { FieldPath } from '../meta/field-path.js';
import { AGE, NAME, selectorText, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { jobSpecDefaults, jobSpecWarnings } from './job-spec.js';
import { validateJobStatusUpdate } from './job-status-validation.js';
import { CONTROLLER_UID_LABELS, JOB_NAME_LABELS, validateJob, validateJobUpdate } from './job-validation.js';

const SPEC = FieldPath.of('spec');

function defaults(draft: Draft<V1Job>): void {
  const spec = (draft.spec ??= {} as Draft<V1JobSpec>);
  jobSpecDefaults(spec);
  draft.status ??= {};
  const labels = spec.template?.metadata?.labels;
  // One map, as in upstream: until the object is copied, what is generated for the pods comes to the job, too.
  if (labels !== undefined && Object.keys(draft.metadata?.labels ?? {}).length === 0) (draft.metadata ??= {}).labels = labels;
}

/** A job without labels has those of its pods. */
function withTemplateLabels(object: V1Job): V1Job {
  const labels = object.spec?.template.metadata?.labels;
  if (labels === undefined || Object.keys(object.metadata?.labels ?? {}).length > 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: { ...labels } } };
}

function setTemplateLabels(draft: Draft<V1Job>): void {
  const { labels } = withTemplateLabels(draft as V1Job).metadata ?? {};
  if (labels !== undefined) (draft.metadata ??= {}).labels = labels as Record<string, string>;
}

/** Ties the pods to the job by its UID, unless the selector is written by hand. */
function generateSelector(draft: Draft<V1Job>): void {
  const { spec, metadata } = draft;
  if (!spec || spec.manualSelector === true) return;
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  for (const key of JOB_NAME_LABELS) labels[key] ??= metadata?.name ?? '';
  for (const key of CONTROLLER_UID_LABELS) labels[key] ??= metadata?.uid ?? '';
  const wanted = ((spec.selector ??= {}).matchLabels ??= {});
  wanted[CONTROLLER_UID_LABELS[1]] ??= metadata?.uid ?? '';
}

function statusText(job: V1Job): string {
  const has = (type: string): boolean => isConditionTrue(job.status?.conditions, type);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsText(job: V1Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  const { completions, parallelism = 0 } = job.spec ?? {};
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText(job: V1Job, now: number): string {
  const { startTime, completionTime } = job.status ?? {};
  if (!startTime) return '';
  return humanDuration((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime));
}

export const job = defineKind<V1Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  orphanDependentsByDefault: true,
  defaults,
  prepareForCreate: (draft) => {
    generateSelector(draft);
    draft.status = {};
    dropDisabledFields(draft.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    setTemplateLabels(draft);
    dropDisabledFields(draft.spec?.template?.spec);
  },
  whenRead: withTemplateLabels,
  validate: (object) => validateJob(object),
  validateUpdate: validateJobUpdate,
  warnings: (object, old) => {
    if (old && object.metadata?.generation === old.metadata?.generation) return [];
    return [...(old ? [] : podNameWarnings(object.metadata)), ...jobSpecWarnings(object.spec, SPEC)];
  },
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateJobStatusUpdate } },
  unknownFieldMessage: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  selectableFields: { 'status.successful': (object) => String(object.status?.succeeded ?? 0) },
  columns: [
    NAME,
    text('Status', statusText),
    text('Completions', completionsText),
    { name: 'Duration', type: 'string', cell: durationText },
    AGE,
    ...containerColumns<V1Job>((object) => object.spec?.template?.spec),
    text('Selector', (object) => selectorText(object.spec?.selector), 1),
  ],
});
