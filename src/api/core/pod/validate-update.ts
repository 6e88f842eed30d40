import type { V1Container, V1NodeAffinity, V1NodeSelectorTerm, V1Pod, V1PodSpec } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import { goForm } from '../../helpers/go-form.js';
import { jsonDiff } from '../../helpers/line-diff.js';
import { forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { rangeMessage } from '../../meta/validation/messages.js';
import { validateBuiltInMeta } from '../../meta/validation/object-meta.js';
import { checkPodAnnotationsUpdate, MIRROR_ANNOTATION } from './annotations.js';
import { internalSpec } from './internal-spec.js';
import { checkTolerations } from './tolerations.js';
import { checkPod, METADATA, SPEC } from './validate.js';

const MAX_INT32 = 2 ** 31 - 1;
const UPDATABLE = [
  '`spec.containers[*].image`', '`spec.initContainers[*].image`', '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

const EMPTY: V1PodSpec = { containers: [] };

/** Rules of an updated pod: very little of its spec may change. */
export function validatePodUpdate(pod: V1Pod, old: V1Pod): FieldError[] {
  const errors = validateBuiltInMeta(pod.metadata, { namespaced: true });
  checkPod(pod, errors);
  const spec = pod.spec ?? EMPTY;
  const oldSpec = old.spec ?? EMPTY;
  checkPodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, spec, METADATA.child('annotations'), errors);
  if (!checkContainerList(spec.containers, oldSpec.containers, SPEC.child('containers'), errors)) return errors;
  if (!checkContainerList(spec.initContainers, oldSpec.initContainers, SPEC.child('initContainers'), errors)) return errors;
  if (!checkDeadline(spec, oldSpec, errors)) return errors;
  checkOnlyAddedTolerations(spec, oldSpec, errors);
  checkOnlyRemovedGates(spec, oldSpec, errors);
  if (deepEqual(spec, oldSpec)) return errors;
  const munged = withoutAllowedChanges(spec, oldSpec, errors);
  if (!deepEqual(munged, oldSpec)) {
    errors.push(forbidden(SPEC, `pod updates may not change fields other than ${UPDATABLE}\n${jsonDiff(internalSpec(oldSpec), internalSpec(munged))}`));
  }
  return errors;
}

/** Rules of the `ephemeralcontainers` subresource: containers may be added only. */
export function validateEphemeralContainersUpdate(pod: V1Pod, old: V1Pod): FieldError[] {
  const errors = validateBuiltInMeta(pod.metadata, { namespaced: true });
  checkPod(pod, errors);
  checkPodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, pod.spec ?? EMPTY, METADATA.child('annotations'), errors);
  if (old.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) return [forbidden(FieldPath.of(''), 'static pods do not support ephemeral containers')];
  const path = SPEC.child('ephemeralContainers');
  for (const container of old.spec?.ephemeralContainers ?? []) {
    const now = pod.spec?.ephemeralContainers?.findLast((candidate) => candidate.name === container.name);
    if (!now) errors.push(forbidden(path, `existing ephemeral containers "${container.name}" may not be removed\n`));
    else if (!deepEqual(now, container)) errors.push(forbidden(path, `existing ephemeral containers "${container.name}" may not be changed\n${jsonDiff(goForm(container, 'EphemeralContainer'), goForm(now, 'EphemeralContainer'))}`));
  }
  return errors;
}

/** False when the lists differ in length and nothing more can be said. */
function checkContainerList(containers: readonly V1Container[] | undefined, old: readonly V1Container[] | undefined, path: FieldPath, errors: FieldError[]): boolean {
  if ((containers?.length ?? 0) !== (old?.length ?? 0)) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  containers?.forEach(({ image = '' }, i) => {
    if (image === '') errors.push(required(path.index(i).child('image')));
    if (image.trim() !== image) errors.push(invalid(path.index(i).child('image'), image, 'must not have leading or trailing whitespace'));
  });
  return true;
}

/** Deadlines may only come closer. False when upstream stops there. */
function checkDeadline(spec: V1PodSpec, old: V1PodSpec, errors: FieldError[]): boolean {
  const path = SPEC.child('activeDeadlineSeconds');
  const now = spec.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  if (now === undefined) {
    if (before !== undefined) errors.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return true;
  }
  if (now < 0 || now > MAX_INT32) errors.push(invalid(path, now, rangeMessage(0, MAX_INT32)));
  else if (before !== undefined && before < now) errors.push(invalid(path, now, 'must be less than or equal to previous value'));
  else return true;
  return false;
}

function checkOnlyAddedTolerations(spec: V1PodSpec, old: V1PodSpec, errors: FieldError[]): void {
  const path = SPEC.child('tolerations');
  for (const toleration of old.tolerations ?? []) {
    const kept = (spec.tolerations ?? []).some((now) => deepEqual({ ...now, tolerationSeconds: undefined }, { ...toleration, tolerationSeconds: undefined }));
    if (!kept) return void errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
  }
  checkTolerations(spec.tolerations, path, errors);
}

function checkOnlyRemovedGates(spec: V1PodSpec, old: V1PodSpec, errors: FieldError[]): void {
  spec.schedulingGates?.forEach((gate, i) => {
    if (old.schedulingGates?.some((other) => other.name === gate.name)) return;
    errors.push(forbidden(SPEC.child('schedulingGates').index(i).child('name'), `only deletion is allowed, but found new scheduling gate '${gate.name}'`));
  });
}

/** The new spec with everything put back that may change; what is left over may not. */
function withoutAllowedChanges(spec: V1PodSpec, old: V1PodSpec, errors: FieldError[]): V1PodSpec {
  const withImages = (list: readonly V1Container[] | undefined, oldList: readonly V1Container[] | undefined): V1Container[] | undefined =>
    list?.map((container, i) => ({ ...container, image: oldList![i]!.image }));
  let munged: V1PodSpec = {
    ...spec,
    containers: withImages(spec.containers, old.containers) ?? [],
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
  };
  if ((old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1) {
    munged = { ...munged, terminationGracePeriodSeconds: old.terminationGracePeriodSeconds };
  }
  if (!old.schedulingGates?.length) return munged;
  // A gated pod may have its choice of nodes narrowed.
  if (!deepEqual(spec.nodeSelector, old.nodeSelector)) {
    checkNodeSelectorMutation(spec, old, errors);
    munged = { ...munged, nodeSelector: old.nodeSelector };
  }
  const oldAffinity = old.affinity?.nodeAffinity;
  if (!deepEqual(spec.affinity?.nodeAffinity, oldAffinity)) {
    checkNodeAffinityMutation(spec.affinity?.nodeAffinity, oldAffinity, errors);
    const rest = { ...munged.affinity, nodeAffinity: oldAffinity };
    munged = { ...munged, affinity: old.affinity === undefined && !rest.podAffinity && !rest.podAntiAffinity ? undefined : rest };
  }
  return munged;
}

function checkNodeSelectorMutation(spec: V1PodSpec, old: V1PodSpec, errors: FieldError[]): void {
  for (const key in old.nodeSelector) {
    if (spec.nodeSelector?.[key] === old.nodeSelector[key]) continue;
    return void errors.push(invalid(SPEC.child('nodeSelector'), spec.nodeSelector, 'only additions to spec.nodeSelector are allowed (no mutations or deletions)'));
  }
}

function checkNodeAffinityMutation(now: V1NodeAffinity | undefined, old: V1NodeAffinity | undefined, errors: FieldError[]): void {
  const oldTerms = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (oldTerms.length === 0) return;
  const given = now?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const terms = given ?? [];
  const path = SPEC.child('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  if (oldTerms.length !== terms.length) return void errors.push(invalid(path, given, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
  oldTerms.forEach((term, i) => {
    if (!onlyAdds(terms[i]!, term)) errors.push(invalid(path.index(i), terms[i], 'only additions are allowed (no mutations or deletions)'));
  });
}

function onlyAdds(now: V1NodeSelectorTerm, old: V1NodeSelectorTerm): boolean {
  const count = (term: V1NodeSelectorTerm): number => (term.matchExpressions?.length ?? 0) + (term.matchFields?.length ?? 0);
  // An empty term matches nothing: adding to it would widen it.
  if (count(old) === 0) return count(now) === 0;
  return (['matchExpressions', 'matchFields'] as const).every((field) => {
    const before = old[field] ?? [];
    return deepEqual((now[field] ?? []).slice(0, before.length), before);
  });
}
