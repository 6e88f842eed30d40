import type { V1Job } from '../generated/types.js';
import { isConditionTrue } from '../helpers/conditions.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { checkCounters } from '../apps/workload-rules.js';
import { duplicate, invalid, OMITTED, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { overlappingIndex, parseIndexes } from './indexes.js';

const STATUS = FieldPath.of('status');
const CONDITIONS = STATUS.child('conditions');

/** What the rules ask of one state of a job. */
class JobState {
  constructor(readonly job: V1Job) {}

  is(type: string): boolean {
    return isConditionTrue(this.job.status?.conditions, type);
  }

  get isComplete(): boolean {
    return this.is('Complete');
  }

  get isFailed(): boolean {
    return this.is('Failed');
  }

  get isFinished(): boolean {
    return this.isComplete || this.isFailed;
  }
}

/** Rules of a status update. Most look only at what the update changes, so that older inconsistencies do not block it. */
export function validateJobStatusUpdate(job: V1Job, oldJob: V1Job): FieldError[] {
  const errors: FieldError[] = [];
  const now = new JobState(job);
  const old = new JobState(oldJob);
  const status = job.status ?? {};
  const oldStatus = oldJob.status ?? {};
  checkCounters(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], STATUS, errors);
  checkUncounted(job, errors);
  const changed = (field: keyof typeof status): boolean => !deepEqual(status[field], oldStatus[field]);
  const toggled = (type: string): boolean => now.is(type) !== old.is(type);
  const finishedChanged = now.isFinished !== old.isFinished;
  const bad = (detail: string): void => void errors.push(invalid(CONDITIONS, OMITTED, detail));

  if ((toggled('Complete') || toggled('Failed')) && now.isComplete && now.isFailed) bad('cannot set Complete=True and Failed=true conditions');
  if ((toggled('Complete') || toggled('FailureTarget')) && now.isComplete && now.is('FailureTarget')) bad('cannot set Complete=True and FailureTarget=true conditions');
  checkTimes(now, old, errors);
  if ((toggled('Failed') || changed('failedIndexes')) && now.isFailed && !now.is('FailureTarget')) bad('cannot set Failed=True condition without the FailureTarget=true condition');
  if ((toggled('Complete') || toggled('SuccessCriteriaMet')) && now.isComplete && !now.is('SuccessCriteriaMet')) {
    bad('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if ((finishedChanged || changed('active')) && now.isFinished && (status.active ?? 0) > 0) errors.push(invalid(STATUS.child('active'), status.active, 'active>0 is invalid for finished job'));
  const waits = job.spec?.suspend === true && job.spec.completions === 0;
  if ((finishedChanged || changed('startTime')) && !waits && now.isFinished && status.startTime === undefined) {
    errors.push(required(STATUS.child('startTime'), 'startTime is required for finished job'));
  }
  const uncounted = (status.uncountedTerminatedPods?.failed?.length ?? 0) + (status.uncountedTerminatedPods?.succeeded?.length ?? 0);
  if ((finishedChanged || changed('uncountedTerminatedPods')) && now.isFinished && uncounted > 0) {
    errors.push(invalid(STATUS.child('uncountedTerminatedPods'), status.uncountedTerminatedPods, 'must be empty for finished job'));
  }
  checkIndexes(job, changed('completedIndexes'), changed('failedIndexes'), errors);
  if ((finishedChanged || changed('terminating')) && now.isFinished && (status.terminating ?? 0) > 0) {
    errors.push(invalid(STATUS.child('terminating'), status.terminating, 'terminating>0 is invalid for finished job'));
  }
  if ((changed('ready') || changed('active')) && status.ready !== undefined && status.ready > (status.active ?? 0)) {
    errors.push(invalid(STATUS.child('ready'), status.ready, 'cannot set more ready pods than active'));
  }
  if (now.is('SuccessCriteriaMet') && now.isFailed) bad('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (now.is('SuccessCriteriaMet') && now.is('FailureTarget')) bad('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy && !now.is('SuccessCriteriaMet') && now.isComplete) {
    bad('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  checkProgress(now, old, errors);
  return errors;
}

/** What may only go forward. */
function checkProgress(now: JobState, old: JobState, errors: FieldError[]): void {
  const status = now.job.status ?? {};
  const oldStatus = old.job.status ?? {};
  const { spec } = now.job;
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (old.is(type) && !now.is(type)) errors.push(invalid(CONDITIONS, OMITTED, `cannot disable the terminal ${type}=True condition`));
  }
  if ((status.failed ?? 0) < (oldStatus.failed ?? 0)) errors.push(invalid(STATUS.child('failed'), status.failed ?? 0, 'cannot decrease the failed counter'));
  // An elastic job that shrinks gives up indexes that had succeeded.
  const elastic = spec?.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!elastic && (status.succeeded ?? 0) < (oldStatus.succeeded ?? 0)) errors.push(invalid(STATUS.child('succeeded'), status.succeeded ?? 0, 'cannot decrease the succeeded counter'));
  if (status.completionTime !== undefined && oldStatus.completionTime !== undefined && status.completionTime !== oldStatus.completionTime) {
    errors.push(invalid(STATUS.child('completionTime'), status.completionTime, 'field is immutable'));
  }
  const resuming = old.is('Suspended') && now.job.status?.conditions?.some((condition) => condition.type === 'Suspended' && condition.status === 'False') === true;
  if (oldStatus.startTime !== undefined && oldStatus.startTime !== status.startTime && spec?.suspend !== true && !resuming) {
    errors.push(invalid(STATUS.child('startTime'), status.startTime, 'field is immutable for unsuspended job once set'));
  }
  if (old.is('SuccessCriteriaMet') && !now.is('SuccessCriteriaMet')) errors.push(invalid(CONDITIONS, OMITTED, 'cannot disable the SuccessCriteriaMet=True condition'));
  if (old.isComplete && !old.is('SuccessCriteriaMet') && now.is('SuccessCriteriaMet')) {
    errors.push(invalid(CONDITIONS, OMITTED, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
  }
}

function checkTimes(now: JobState, old: JobState, errors: FieldError[]): void {
  const { startTime, completionTime } = now.job.status ?? {};
  const path = STATUS.child('completionTime');
  const completionChanged = completionTime !== old.job.status?.completionTime;
  if (now.isComplete !== old.isComplete || completionChanged) {
    if (completionTime !== undefined && !now.isComplete) errors.push(invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
    if (completionTime === undefined && now.isComplete) errors.push(required(path, 'completionTime is required for Complete jobs'));
  }
  if (!completionChanged && startTime === old.job.status?.startTime) return;
  if (startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime)) {
    errors.push(invalid(path, completionTime, 'must be equal to or after `startTime`'));
  }
}

function checkUncounted(job: V1Job, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const) {
    job.status?.uncountedTerminatedPods?.[list]?.forEach((uid, i) => {
      const path = STATUS.child('uncountedTerminatedPods', list).index(i);
      if (uid === '') errors.push(invalid(path, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(path, uid));
      else seen.add(uid);
    });
  }
}

function checkIndexes(job: V1Job, completedChanged: boolean, failedChanged: boolean, errors: FieldError[]): void {
  const { completedIndexes: completed = '', failedIndexes: failed } = job.status ?? {};
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const completedPath = STATUS.child('completedIndexes');
  const failedPath = STATUS.child('failedIndexes');
  if (completedChanged && completions !== undefined) {
    const parsed = parseIndexes(completed, completions);
    if (typeof parsed === 'string') errors.push(invalid(completedPath, completed, `error parsing completedIndexes: ${parsed}`));
  }
  if (failedChanged && completions !== undefined && backoffLimitPerIndex !== undefined && failed !== undefined) {
    const parsed = parseIndexes(failed, completions);
    if (typeof parsed === 'string') errors.push(invalid(failedPath, failed, `error parsing failedIndexes: ${parsed}`));
  }
  if (completedChanged && completed !== '' && completionMode !== 'Indexed') {
    errors.push(invalid(completedPath, completed, 'cannot set non-empty completedIndexes when non-indexed completion mode'));
  }
  if (failedChanged && backoffLimitPerIndex === undefined && failed !== undefined) {
    errors.push(invalid(failedPath, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'));
  }
  if ((!failedChanged && !completedChanged) || completions === undefined || !failed || completed === '') return;
  const overlap = overlappingIndex(completed, failed, completions);
  if (overlap !== undefined) errors.push(invalid(failedPath, failed, `failedIndexes and completedIndexes overlap at index: ${overlap}`));
}
