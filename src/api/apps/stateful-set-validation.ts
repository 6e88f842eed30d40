import type { V1PodTemplateSpec, V1StatefulSet, V1StatefulSetSpec, V1StatefulSetUpdateStrategy, V1Volume } from '../generated/types.js';
import { checkPodAnnotations } from '../core/pod/annotations.js';
import { checkPodTemplate } from '../core/pod/template.js';
import { validateClaimSpec } from '../core/persistent-volume-claim-validation.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { forbidden, invalid, notSupportedInOrder, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../meta/validation/int-or-string.js';
import { validateAnnotations, validateLabels } from '../meta/validation/labels.js';
import { dns1123Label } from '../meta/validation/names.js';
import { validateNonnegative } from '../meta/validation/numbers.js';
import { checkAlwaysRunning, checkCollisionCount, checkCounters, checkParts, checkRequiredSelector, checkTemplateLabels, parseSelector } from './workload-rules.js';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');

/** Rules of a new stateful set. */
export function validateStatefulSet(object: V1StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  checkSpec(object.spec, true, errors);
  return errors;
}

/** Only scale, template, strategies and limits of a stateful set may change. */
export function validateStatefulSetUpdate(object: V1StatefulSet, old: V1StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  checkSpec(object.spec, false, errors);
  const fixed = (spec: V1StatefulSetSpec | undefined): unknown => ({
    podManagementPolicy: spec?.podManagementPolicy, selector: spec?.selector, serviceName: spec?.serviceName, volumeClaimTemplates: spec?.volumeClaimTemplates,
  });
  if (!deepEqual(fixed(object.spec), fixed(old.spec))) {
    errors.push(forbidden(SPEC, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
      + "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  }
  return errors;
}

export function validateStatefulSetStatusUpdate(object: V1StatefulSet, old: V1StatefulSet): FieldError[] {
  const errors: FieldError[] = [];
  checkCounters(object.status, ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'], STATUS, errors);
  checkParts(object.status, ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'], 'status.readyReplicas', STATUS, errors);
  checkCollisionCount(object.status?.collisionCount, old.status?.collisionCount, STATUS, errors);
  return errors;
}

/** On update the immutable parts are not looked at again. */
function checkSpec(spec: V1StatefulSetSpec | undefined, isNew: boolean, errors: FieldError[]): void {
  const policy = spec?.podManagementPolicy;
  if (!policy) errors.push(required(SPEC.child('podManagementPolicy')));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') errors.push(invalid(SPEC.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'"));
  checkUpdateStrategy(spec?.updateStrategy, SPEC.child('updateStrategy'), errors);
  for (const when of ['whenDeleted', 'whenScaled'] as const) {
    const retention = spec?.persistentVolumeClaimRetentionPolicy;
    const value = retention?.[when] ?? '';
    if (retention && value !== 'Retain' && value !== 'Delete') {
      errors.push(notSupportedInOrder(SPEC.child('persistentVolumeClaimRetentionPolicy', when), value, ['Retain', 'Delete']));
    }
  }
  if (isNew) {
    spec?.volumeClaimTemplates?.forEach((claim, i) => {
      errors.push(...validateClaimSpec(claim.spec ?? {}, SPEC.child('volumeClaimTemplates').index(i).child('spec')));
    });
  }
  checkCounters(spec, ['replicas', 'minReadySeconds'], SPEC, errors);
  errors.push(...validateNonnegative(spec?.ordinals?.start, SPEC.child('ordinals.start')));
  if (isNew && spec?.serviceName) for (const message of dns1123Label(spec.serviceName)) errors.push(invalid(SPEC.child('serviceName'), spec.serviceName, message));
  checkRequiredSelector(spec?.selector, 'statefulset', SPEC.child('selector'), errors);
  const selector = parseSelector(spec?.selector);
  const template = spec && templateWithClaims(spec);
  const path = SPEC.child('template');
  if (!selector) errors.push(invalid(SPEC.child('selector'), spec?.selector, ''));
  else {
    if (!selector.isEverything) checkTemplateLabels(selector, template, path, errors);
    checkPodTemplate(template, path, errors);
    // Upstream looks at these a second time.
    errors.push(...validateLabels(template?.metadata?.labels, path.child('labels')), ...validateAnnotations(template?.metadata?.annotations, path.child('annotations')));
    checkPodAnnotations(template?.metadata?.annotations, template?.spec ?? { containers: [] }, path.child('annotations'), errors);
  }
  checkAlwaysRunning(spec?.template, 'StatefulSet', path, errors);
}

function checkUpdateStrategy(strategy: V1StatefulSetUpdateStrategy | undefined, path: FieldPath, errors: FieldError[]): void {
  const rollingUpdate = strategy?.rollingUpdate;
  const at = path.child('rollingUpdate');
  const shown = rollingUpdate ? { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null } : null;
  switch (strategy?.type ?? '') {
    case '':
      errors.push(required(path));
      break;
    case 'OnDelete':
      if (shown) errors.push(invalid(at, shown, "only allowed for updateStrategy 'RollingUpdate'"));
      break;
    case 'RollingUpdate': {
      if (!rollingUpdate) break;
      errors.push(...validateNonnegative(rollingUpdate.partition, at.child('partition')));
      const { maxUnavailable } = rollingUpdate;
      if (maxUnavailable === undefined) break;
      errors.push(...validatePositiveIntOrPercent(maxUnavailable, at.child('maxUnavailable')));
      if (intOrPercentValue(maxUnavailable) === 0) errors.push(invalid(at.child('maxUnavailable'), maxUnavailable, 'cannot be 0'));
      errors.push(...validateNotMoreThan100Percent(maxUnavailable, at.child('maxUnavailable')));
      break;
    }
    default:
      errors.push(invalid(path, { Type: strategy!.type, RollingUpdate: shown }, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

/** The template as its pods will be: with a volume for each claim, and a host name of their own. */
function templateWithClaims(spec: V1StatefulSetSpec): V1PodTemplateSpec {
  const podSpec = spec.template?.spec;
  const claims = spec.volumeClaimTemplates ?? [];
  if (!podSpec || (!podSpec.subdomain && !podSpec.hostname && claims.length === 0)) return spec.template;
  const names = new Set(claims.map((claim) => claim.metadata?.name ?? ''));
  const added = [...names].map((name): V1Volume => ({ name, persistentVolumeClaim: { claimName: name } }));
  const volumes = [...added, ...(podSpec.volumes ?? []).filter((volume) => !names.has(volume.name))];
  const { subdomain: _subdomain, hostname: _hostname, ...rest } = podSpec;
  return { ...spec.template, spec: { ...rest, volumes } };
}
