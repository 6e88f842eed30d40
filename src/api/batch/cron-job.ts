import type { Draft } from '../draft.js';
import type { V1CronJob, V1CronJobSpec, V1JobTemplateSpec } from '../generated/types.js';
import { errorMessage } from '../../base/errors.js';
import { containerColumns } from '../apps/workload-columns.js';
import { checkCounters, podNameWarnings } from '../apps/workload-rules.js';
import { dropDisabledFields } from '../core/pod/disabled-fields.js';
import { parseCronSchedule } from '../helpers/cron-schedule.js';
import { ageText } from '../helpers/duration.js';
import { invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { byteLength } from '../meta/validation/messages.js';
import { AGE, integer, NAME, selectorText, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { checkJobSpec, jobSpecWarnings, jobTemplateSpecDefaults } from './job-spec.js';

const SPEC = FieldPath.of('spec');
const JOB_SPEC = SPEC.child('jobTemplate', 'spec');
const POLICIES = ['Allow', 'Forbid', 'Replace'];
/** Eleven characters of a 63 character name are left for what the controller appends. */
const MAX_NAME_BYTES = 52;

function defaults(draft: Draft<V1CronJob>): void {
  const spec = (draft.spec ??= {} as Draft<V1CronJobSpec>);
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  const template = (spec.jobTemplate ??= {});
  template.metadata ??= {};
  jobTemplateSpecDefaults((template.spec ??= { template: {} }));
  draft.status ??= {};
}

function checkSchedule(spec: V1CronJobSpec | undefined, old: V1CronJobSpec | undefined, errors: FieldError[]): void {
  const path = SPEC.child('schedule');
  const schedule = spec?.schedule;
  if (!schedule) return void errors.push(required(path));
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    errors.push(invalid(path, schedule, errorMessage(error)));
  }
  if (!schedule.includes('TZ')) return;
  if (!old?.schedule.includes('TZ')) errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (spec.timeZone !== undefined) errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

function checkTimeZone(zone: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (zone === undefined) return;
  if (zone === '') return void errors.push(invalid(path, zone, 'timeZone must be nil or non-empty string'));
  const unknown = `unknown time zone ${zone}`;
  if (zone.split('/').some((part) => part === '.' || part === '..' || part.startsWith('-') || !/^[A-Za-z._0-9+-]{1,14}$/.test(part))) {
    return void errors.push(invalid(path, zone, unknown));
  }
  if (zone.toLowerCase() === 'local') errors.push(invalid(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'));
  if (zone !== 'Local' && !isTimeZone(zone)) errors.push(invalid(path, zone, unknown));
}

function isTimeZone(zone: string): boolean {
  // The runtime also takes offsets, which are no names of the database.
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function checkJobTemplate(template: V1JobTemplateSpec | undefined, errors: FieldError[]): void {
  const spec = template?.spec;
  checkJobSpec(spec ?? { template: {} }, JOB_SPEC, errors);
  if (spec?.selector) errors.push(invalid(JOB_SPEC.child('selector'), spec.selector, '`selector` will be auto-generated'));
  if (spec?.manualSelector === true) errors.push(notSupportedInOrder(JOB_SPEC.child('manualSelector'), true, ['nil', 'false']));
}

function validateSpec(spec: V1CronJobSpec | undefined, old: V1CronJobSpec | undefined): FieldError[] {
  const errors: FieldError[] = [];
  checkSchedule(spec, old, errors);
  checkCounters(spec, ['startingDeadlineSeconds'], SPEC, errors);
  if (!old || old.timeZone !== spec?.timeZone) checkTimeZone(spec?.timeZone, SPEC.child('timeZone'), errors);
  const policy = spec?.concurrencyPolicy;
  if (!policy) errors.push(required(SPEC.child('concurrencyPolicy')));
  else if (!POLICIES.includes(policy)) errors.push(notSupportedInOrder(SPEC.child('concurrencyPolicy'), policy, POLICIES));
  checkJobTemplate(spec?.jobTemplate, errors);
  checkCounters(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], SPEC, errors);
  return errors;
}

export const cronJob = defineKind<V1CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  defaults,
  prepareForCreate: (draft) => {
    draft.status = {};
    dropDisabledFields(draft.spec?.jobTemplate?.spec?.template?.spec);
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    dropDisabledFields(draft.spec?.jobTemplate?.spec?.template?.spec);
  },
  validate: (object) => {
    const errors = validateSpec(object.spec, undefined);
    const name = object.metadata?.name ?? '';
    if (byteLength(name) > MAX_NAME_BYTES) errors.push(invalid(FieldPath.of('metadata', 'name'), name, `must be no more than ${MAX_NAME_BYTES} characters`));
    return errors;
  },
  validateUpdate: (object, old) => validateSpec(object.spec, old.spec),
  warnings: (object, old) => {
    const changed = !old || object.metadata?.generation !== old.metadata?.generation;
    const warnings = old ? [] : podNameWarnings(object.metadata);
    if (changed) warnings.push(...jobSpecWarnings(object.spec?.jobTemplate?.spec, JOB_SPEC));
    if (old && object.spec?.schedule.includes('TZ')) {
      warnings.push('cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see '
        + 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details');
    }
    return warnings;
  },
  subresources: { status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: () => [] } },
  columns: [
    NAME,
    text('Schedule', (object) => object.spec?.schedule ?? ''),
    text('Timezone', (object) => object.spec?.timeZone ?? '<none>'),
    // Declared as a boolean, printed as text.
    { name: 'Suspend', type: 'boolean', cell: ({ spec }) => (spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False') },
    integer('Active', (object) => object.status?.active?.length ?? 0),
    { name: 'Last Schedule', type: 'string', cell: (object, now) => (object.status?.lastScheduleTime ? ageText(object.status.lastScheduleTime, now) : '<none>') },
    AGE,
    ...containerColumns<V1CronJob>((object) => object.spec?.jobTemplate?.spec?.template?.spec),
    text('Selector', (object) => selectorText(object.spec?.jobTemplate?.spec?.selector), 1),
  ],
});
