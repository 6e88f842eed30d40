import type { V1LabelSelector, V1ObjectMeta, V1PodTemplateSpec } from '../generated/types.js';
import { checkPodTemplate } from '../core/pod/template.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { validateLabelSelector } from '../meta/validation/label-selector.js';
import { dns1123Label } from '../meta/validation/names.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { LabelSelector } from '../selectors/label-selector.js';

/** What a selector in an API object selects; undefined when its requirements make no sense. */
export function parseSelector(selector: V1LabelSelector | undefined): LabelSelector | undefined {
  try {
    return LabelSelector.fromObject(selector);
  } catch {
    return undefined;
  }
}

/** The text form of the selector for the scale subresource. */
export function scaleSelectorText(selector: V1LabelSelector | undefined): string {
  return parseSelector(selector)?.toString() ?? '';
}

/** A selector that must be there and may not be empty. `what` is the name that upstream gives the kind. */
export function checkRequiredSelector(selector: V1LabelSelector | undefined, what: string, path: FieldPath, errors: FieldError[]): void {
  if (selector === undefined) return void errors.push(required(path));
  errors.push(...validateLabelSelector(selector, path));
  if (isEmptySelector(selector)) errors.push(invalid(path, selector, `empty selector is invalid for ${what}`));
}

export function isEmptySelector(selector: V1LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0) === 0;
}

/** The selector must choose the pods that the template makes. */
export function checkTemplateLabels(selector: LabelSelector, template: V1PodTemplateSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const labels = template?.metadata?.labels;
  if (!selector.matches(labels ?? {})) errors.push(invalid(path.child('metadata', 'labels'), labels, '`selector` does not match template `labels`'));
}

/** Pods of this kind always restart and have no deadline. `what` is the kind's name. */
export function checkAlwaysRunning(template: V1PodTemplateSpec | undefined, what: string, path: FieldPath, errors: FieldError[]): void {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(notSupported(path.child('spec', 'restartPolicy'), policy, ['Always']));
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    errors.push(forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${what} is not Supported`));
  }
}

/** Rules of the template of replica sets and deployments. */
export function checkReplicaTemplate(selector: LabelSelector, template: V1PodTemplateSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!selector.isEverything) checkTemplateLabels(selector, template, path, errors);
  checkPodTemplate(template, path, errors);
  checkAlwaysRunning(template, 'ReplicaSet', path, errors);
}

type Counts<K extends string> = { readonly [P in K]?: number };

/** None of the counters is negative. */
export function checkCounters<K extends string>(status: Counts<K> | undefined, fields: readonly K[], path: FieldPath, errors: FieldError[]): void {
  for (const field of fields) if ((status?.[field] ?? 0) < 0) errors.push(...validateNonnegative(status![field], path.child(field)));
}

/** Counters of parts may not exceed `replicas`; nor those of available pods those of ready ones. `ready` is how upstream names the latter. */
export function checkParts<K extends string>(
  status: Counts<K | 'replicas' | 'readyReplicas' | 'availableReplicas'> | undefined,
  fields: readonly K[],
  ready: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const counts = status as Counts<string> | undefined;
  for (const field of fields) {
    const count = counts?.[field] ?? 0;
    if (count > (counts?.['replicas'] ?? 0)) errors.push(invalid(path.child(field), count, 'cannot be greater than status.replicas'));
  }
  const available = counts?.['availableReplicas'] ?? 0;
  if (available > (counts?.['readyReplicas'] ?? 0)) errors.push(invalid(path.child('availableReplicas'), available, `cannot be greater than ${ready}`));
}

/** The counter of name collisions only grows. */
export function checkCollisionCount(count: number | undefined, old: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (old !== undefined && (count === undefined || count < old)) errors.push(invalid(path.child('collisionCount'), count ?? 0, 'cannot be decremented'));
}

/** The warning for a name that pods cannot use as their host name. */
export function podNameWarnings(meta: V1ObjectMeta | undefined): string[] {
  const messages = dns1123Label(meta?.name ?? '');
  if (messages.length === 0) return [];
  return [`metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`];
}
