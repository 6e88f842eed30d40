import type { Draft } from '../../draft.js';
import type { V1LabelSelector, V1Pod, V1PodAffinityTerm } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import { computeQosClass } from '../../helpers/pod-qos.js';
import type { FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import type { StrategyContext } from '../../scheme/kind.js';
import { restore, restoreMetadata } from '../../scheme/restore.js';
import { APP_ARMOR_PREFIX, appArmorProfileOf } from './annotations.js';
import { dropDisabledFields, dropDisabledStatusFields } from './disabled-fields.js';
import { checkAppArmorProfile } from './security-profiles.js';
import { visitContainers } from './visit.js';
import { timestamp } from '../../meta/timestamp.js';

const GATED = 'Scheduling is blocked due to non-empty scheduling gates';

/** A new pod is pending, whatever its creator says. */
export function preparePodForCreate(pod: Draft<V1Pod>, { now }: StrategyContext): void {
  dropDisabledFields(pod.spec);
  const gated = (pod.spec?.schedulingGates?.length ?? 0) > 0;
  pod.status = {
    phase: 'Pending',
    qosClass: computeQosClass(pod.spec),
    ...(gated
      ? { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: GATED, lastTransitionTime: timestamp(now) }] }
      : {}),
  };
  mergeMatchLabelKeys(pod);
  if (pod.spec?.os?.name !== 'windows') appArmorFromAnnotations(pod);
}

/** The main resource does not write status. */
export function preparePodForUpdate(pod: Draft<V1Pod>, old: V1Pod): void {
  restore(pod, old, 'status');
  dropDisabledFields(pod.spec);
}

/** The status subresource writes status, labels and annotations. */
export function preparePodForStatusUpdate(pod: Draft<V1Pod>, old: V1Pod): void {
  restore(pod, old, 'spec');
  pod.metadata ??= {};
  restore(pod.metadata, old.metadata ?? {}, 'ownerReferences', 'deletionTimestamp');
  const status = (pod.status ??= {});
  dropDisabledStatusFields(status);
  if (!status.qosClass && old.status?.qosClass !== undefined) status.qosClass = old.status.qosClass;
  if (!status.observedGeneration && old.status?.observedGeneration !== undefined) status.observedGeneration = old.status.observedGeneration;
  for (const condition of status.conditions ?? []) {
    if (condition.observedGeneration) continue;
    const generation = old.status?.conditions?.find((other) => other.type === condition.type)?.observedGeneration;
    if (generation !== undefined) condition.observedGeneration = generation;
  }
}

/** The `ephemeralcontainers` subresource writes nothing else. */
export function preparePodForEphemeralContainers(pod: Draft<V1Pod>, old: V1Pod): void {
  const added = pod.spec?.ephemeralContainers;
  pod.spec = { ...(old.spec as Draft<V1Pod>['spec']), containers: old.spec?.containers as Draft<NonNullable<V1Pod['spec']>['containers']> };
  if (added === undefined) delete pod.spec!.ephemeralContainers;
  else pod.spec!.ephemeralContainers = added;
  restore(pod, old, 'status');
  restoreMetadata(pod, old);
  dropDisabledFields(pod.spec);
}

/** The `resize` subresource writes resources and resize policies. Containers that were added, removed or renamed are left for validation to refuse. */
export function preparePodForResize(pod: Draft<V1Pod>, old: V1Pod): void {
  const wanted = pod.spec;
  const oldSpec = old.spec as Draft<V1Pod>['spec'];
  if (!wanted || !oldSpec) return;
  const count = (list: readonly unknown[] | undefined): number => list?.length ?? 0;
  if (count(wanted.containers) !== count(oldSpec.containers) || count(wanted.initContainers) !== count(oldSpec.initContainers)) return;
  const containers = mergeResources(wanted.containers, oldSpec.containers);
  const initContainers = wanted.initContainers && oldSpec.initContainers ? mergeResources(wanted.initContainers, oldSpec.initContainers) : undefined;
  pod.spec = { ...oldSpec, containers };
  if (initContainers) pod.spec.initContainers = initContainers;
  if (wanted.resources === undefined) delete pod.spec.resources;
  else pod.spec.resources = wanted.resources;
  restore(pod, old, 'status');
  restoreMetadata(pod, old);
}

type DraftContainers = NonNullable<Draft<V1Pod>['spec']>['containers'];

function mergeResources(wanted: DraftContainers, old: DraftContainers): DraftContainers {
  if (wanted.some((container, i) => container.name !== old[i]!.name)) return wanted;
  return wanted.map((container, i) => {
    const { resources: _resources, resizePolicy: _policy, ...rest } = old[i]!;
    return {
      ...rest,
      ...(container.resources === undefined ? {} : { resources: container.resources }),
      ...(container.resizePolicy === undefined ? {} : { resizePolicy: container.resizePolicy }),
    };
  });
}

/** `matchLabelKeys` become requirements on the pod's own values (KEP-3633). */
function mergeMatchLabelKeys(pod: Draft<V1Pod>): void {
  const labels = pod.metadata?.labels;
  if (labels === undefined) return;
  const merge = (selector: Draft<V1LabelSelector> | undefined, keys: readonly string[] | undefined, operator: string): void => {
    if (!selector) return;
    for (const key of keys ?? []) {
      const value = labels[key];
      if (value !== undefined) (selector.matchExpressions ??= []).push({ key, operator, values: [value] });
    }
  };
  const mergeTerm = (term: Draft<V1PodAffinityTerm> | undefined): void => {
    merge(term?.labelSelector, term?.matchLabelKeys, 'In');
    merge(term?.labelSelector, term?.mismatchLabelKeys, 'NotIn');
  };
  for (const affinity of [pod.spec?.affinity?.podAffinity, pod.spec?.affinity?.podAntiAffinity]) {
    affinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach((weighted) => mergeTerm(weighted.podAffinityTerm));
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.forEach(mergeTerm);
  }
  for (const constraint of pod.spec?.topologySpreadConstraints ?? []) merge(constraint.labelSelector, constraint.matchLabelKeys, 'In');
}

/** The deprecated AppArmor annotation of a container fills in its field. */
function appArmorFromAnnotations(pod: Draft<V1Pod>): void {
  const annotations = pod.metadata?.annotations;
  if (annotations === undefined || !pod.spec) return;
  const podProfile = pod.spec.securityContext?.appArmorProfile;
  visitContainers(pod.spec, FieldPath.root, (container) => {
    const draft = container as Draft<typeof container>;
    const annotation = annotations[APP_ARMOR_PREFIX + draft.name];
    if (annotation === undefined || draft.securityContext?.appArmorProfile) return;
    const profile = appArmorProfileOf(annotation);
    const errors: FieldError[] = [];
    checkAppArmorProfile(profile, FieldPath.root, errors);
    if (profile && errors.length === 0 && !deepEqual(profile, podProfile)) (draft.securityContext ??= {}).appArmorProfile = { ...profile };
  });
}
