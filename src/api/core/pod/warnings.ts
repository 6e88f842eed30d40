import type { V1Container, V1NodeSelectorTerm, V1ObjectMeta, V1Pod, V1PodAffinity, V1PodSpec, V1PodTemplateSpec, V1Volume } from '../../generated/types.js';
import { deepEqual } from '../../helpers/deep-equal.js';
import { FieldPath } from '../../meta/field-path.js';
import { ipWarnings } from '../../meta/validation/ip.js';
import { labelValue } from '../../meta/validation/labels.js';
import { dns1123Label } from '../../meta/validation/names.js';
import { claimSpecWarnings } from '../persistent-volume-claim.js';
import { deprecatedNodeLabel } from '../validation/deprecated-node-labels.js';
import { quantityOf } from '../validation/quantities.js';
import { APP_ARMOR_PREFIX, appArmorProfileOf, SECCOMP_CONTAINER_PREFIX, SECCOMP_POD_ANNOTATION } from './annotations.js';
import { overlappingPathWarnings } from './path-warnings.js';
import { portWarnings } from './port-warnings.js';
import { visitContainers } from './visit.js';

const DEPRECATED_ANNOTATIONS: ReadonlyArray<readonly [string, string]> = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

const DEPRECATED_VOLUMES: ReadonlyArray<readonly [keyof V1Volume, string, string]> = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', 'ephemeral', ''],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const NULL_SELECTOR = 'a null labelSelector results in matching no pod';

/** Warnings for a pod; only its creation has any. */
export function podWarnings(pod: V1Pod, old: V1Pod | undefined): string[] {
  if (old !== undefined) return [];
  const warnings: string[] = [];
  const messages = dns1123Label(pod.metadata?.name ?? '');
  if (messages.length > 0) {
    warnings.push(`metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${messages.join(' ')}]`);
  }
  collect(pod.spec ?? { containers: [] }, pod.metadata, FieldPath.root, false, warnings);
  return warnings;
}

/** Warnings for a pod template at `path`. */
export function podTemplateWarnings(template: V1PodTemplateSpec | undefined, path: FieldPath): string[] {
  const warnings: string[] = [];
  if (template) collect(template.spec ?? { containers: [] }, template.metadata, path, true, warnings);
  return warnings;
}

function collect(spec: V1PodSpec, meta: V1ObjectMeta | undefined, path: FieldPath, isTemplate: boolean, warnings: string[]): void {
  const specPath = path.child('spec');
  const annotations = meta?.annotations;
  for (const key in spec.nodeSelector) {
    const message = deprecatedNodeLabel(key);
    if (message !== undefined) warnings.push(`${specPath.child('nodeSelector').key(key)}: ${message}`);
  }
  if (spec.affinity?.nodeAffinity) nodeAffinityWarnings(spec, specPath.child('affinity', 'nodeAffinity'), warnings);
  spec.topologySpreadConstraints?.forEach((constraint, i) => {
    const at = specPath.child('topologySpreadConstraints').index(i);
    const message = deprecatedNodeLabel(constraint.topologyKey);
    if (message !== undefined) warnings.push(`${at.child('topologyKey')}: ${constraint.topologyKey} is ${message}`);
    if (!constraint.labelSelector) warnings.push(`${at.child('labelSelector')}: ${NULL_SELECTOR}`);
  });
  if (annotations !== undefined) {
    for (const [key, message] of DEPRECATED_ANNOTATIONS) {
      if (annotations[key] !== undefined) warnings.push(`${path.child('metadata', 'annotations').key(key)}: ${message}`);
    }
  }
  spec.volumes?.forEach((volume, i) => volumeWarnings(volume, specPath.child('volumes').index(i), warnings));
  warnings.push(...overlappingPathWarnings(spec.volumes ?? []));
  duplicates(spec.hostAliases, (alias) => alias.ip, (i, ip) => warnings.push(`${specPath.child('hostAliases').index(i).child('ip')}: duplicate ip ${JSON.stringify(ip)}`));
  const secrets = specPath.child('imagePullSecrets');
  duplicates(spec.imagePullSecrets, (secret) => secret.name ?? '', (i, name) => warnings.push(`${secrets.index(i).child('name')}: duplicate name ${JSON.stringify(name)}`));
  spec.imagePullSecrets?.forEach((secret, i) => {
    if (!secret.name) warnings.push(`${secrets.index(i).child('name')}: invalid empty name ""`);
  });
  for (const name of ['memory', 'ephemeral-storage']) fractionWarning(spec.overhead?.[name], () => specPath.child('overhead').key(name), warnings);
  if (annotations?.[SECCOMP_POD_ANNOTATION] !== undefined && !spec.securityContext?.seccompProfile) {
    warnings.push(`${path.child('metadata', 'annotations').key(SECCOMP_POD_ANNOTATION)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  visitContainers(spec, specPath, (container, at) => {
    if (annotations !== undefined) profileWarnings(container, spec, annotations, path, isTemplate, warnings);
    containerWarnings(container, at, warnings);
  });
  portWarnings(spec, specPath, warnings);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(`${specPath.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`);
  }
  podAffinityWarnings(spec.affinity?.podAffinity, specPath.child('affinity', 'podAffinity'), warnings);
  podAffinityWarnings(spec.affinity?.podAntiAffinity, specPath.child('affinity', 'podAntiAffinity'), warnings);
  spec.dnsConfig?.nameservers?.forEach((server, i) => warnings.push(...ipWarnings(server, specPath.child('dnsConfig', 'nameservers').index(i))));
  spec.hostAliases?.forEach((alias, i) => warnings.push(...ipWarnings(alias.ip, specPath.child('hostAliases').index(i).child('ip'))));
}

function duplicates<T>(items: readonly T[] | undefined, keyOf: (item: T) => string, report: (index: number, key: string) => void): void {
  if (!items || items.length < 2) return;
  const seen = new Set<string>();
  items.forEach((item, i) => {
    const key = keyOf(item);
    if (seen.has(key)) report(i, key);
    seen.add(key);
  });
}

function nodeAffinityWarnings(spec: V1PodSpec, path: FieldPath, warnings: string[]): void {
  const affinity = spec.affinity!.nodeAffinity!;
  const required = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.forEach((term, i) => nodeTermWarnings(term, false, required.index(i), warnings));
  const preferred = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  affinity.preferredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => nodeTermWarnings(term.preference, true, preferred.index(i).child('preference'), warnings));
}

function nodeTermWarnings(term: V1NodeSelectorTerm, checkValues: boolean, path: FieldPath, warnings: string[]): void {
  term.matchExpressions?.forEach((requirement, i) => {
    const at = path.child('matchExpressions').index(i);
    const message = deprecatedNodeLabel(requirement.key);
    if (message !== undefined) warnings.push(`${at.child('key')}: ${requirement.key} is ${message}`);
    if (!checkValues) return;
    requirement.values?.forEach((value, j) => {
      for (const problem of labelValue(value)) warnings.push(`${at.child('values').index(j)}: ${value} is invalid, ${problem}`);
    });
  });
}

function podAffinityWarnings(affinity: V1PodAffinity | undefined, path: FieldPath, warnings: string[]): void {
  affinity?.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
    if (!term.labelSelector) warnings.push(`${path.child('requiredDuringSchedulingIgnoredDuringExecution').index(i).child('labelSelector')}: ${NULL_SELECTOR}`);
  });
  affinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ podAffinityTerm }, i) => {
    if (podAffinityTerm?.labelSelector) return;
    warnings.push(`${path.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('podAffinityTerm', 'labelSelector')}: ${NULL_SELECTOR}`);
  });
}

function volumeWarnings(volume: V1Volume, path: FieldPath, warnings: string[]): void {
  for (const [source, name, message] of DEPRECATED_VOLUMES) {
    if (volume[source] === undefined) continue;
    if (source === 'ephemeral') {
      const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
      if (claim) warnings.push(...claimSpecWarnings(claim, path.child('ephemeral', 'volumeClaimTemplate', 'spec')));
    } else warnings.push(`${path.child(name)}: ${message}`);
  }
}

function profileWarnings(
  container: V1Container,
  spec: V1PodSpec,
  annotations: Readonly<Record<string, string>>,
  path: FieldPath,
  isTemplate: boolean,
  warnings: string[],
): void {
  const at = path.child('metadata', 'annotations');
  const seccompKey = SECCOMP_CONTAINER_PREFIX + container.name;
  if (annotations[seccompKey] !== undefined && !container.securityContext?.seccompProfile) {
    warnings.push(`${at.key(seccompKey)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  const key = APP_ARMOR_PREFIX + container.name;
  const annotation = annotations[key];
  if (annotation === undefined) return;
  const meant = appArmorProfileOf(annotation);
  const own = container.securityContext?.appArmorProfile;
  const podProfile = spec.securityContext?.appArmorProfile;
  // A pod's field has been filled in from the annotation before this is asked.
  const deprecated = isTemplate ? !own && (!podProfile || !deepEqual(podProfile, meant)) : meant === undefined ? !own : deepEqual(own, meant) && !deepEqual(meant, podProfile);
  if (deprecated) warnings.push(`${at.key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
}

function containerWarnings(container: V1Container, path: () => FieldPath, warnings: string[]): void {
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const kind of ['limits', 'requests'] as const) fractionWarning(container.resources?.[kind]?.[name], () => path().child('resources', kind).key(name), warnings);
  }
  if ((container.env?.length ?? 0) < 2) return;
  const seen = new Set<string>();
  container.env!.forEach((variable, i) => {
    const reference = `$(${variable.name})`;
    const value = variable.value ?? '';
    // A later definition that builds upon the earlier one is meant.
    if (seen.has(variable.name) && (variable.valueFrom !== undefined || value === reference || !value.includes(reference))) {
      warnings.push(`${path().child('env').index(i)}: hides previous definition of ${JSON.stringify(variable.name)}, which may be dropped when using apply`);
    }
    seen.add(variable.name);
  });
}

function fractionWarning(text: string | undefined, path: () => FieldPath, warnings: string[]): void {
  if (text === undefined || !/[munp.eE]/.test(text)) return;
  const amount = quantityOf(text);
  if (amount.milliValue() % 1000 !== 0) warnings.push(`${path()}: fractional byte value "${amount}" is invalid, must be an integer`);
}
