import type { V1Volume } from '../../../api/generated/types.js';
import { badSeccomp, procMount } from './baseline.js';
import { containersOf, isExemptWindows, isInUserNamespace, namedContainers, plural, quoted, setters, sorted, type PodCheck } from './check.js';

/** A check of the restricted level; it takes the place of weaker ones of the baseline level. */
export interface RestrictedCheck {
  readonly check: PodCheck;
  /** First version of the rules that has it. */
  readonly since: number;
  readonly overrides?: string;
}

const allowPrivilegeEscalation: PodCheck = (spec, _metadata, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const containers = containersOf(spec).filter((container) => container.securityContext?.allowPrivilegeEscalation !== false);
  if (containers.length === 0) return undefined;
  return { reason: 'allowPrivilegeEscalation != false', detail: `${namedContainers(containers)} must set securityContext.allowPrivilegeEscalation=false` };
};

const capabilities: PodCheck = (spec, _metadata, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const all = containersOf(spec);
  const keeping = all.filter((container) => !container.securityContext?.capabilities?.drop?.includes('ALL'));
  const forbidden = (names: readonly string[] | undefined): string[] => (names ?? []).filter((name) => name !== 'NET_BIND_SERVICE');
  const adding = all.filter((container) => forbidden(container.securityContext?.capabilities?.add).length > 0);
  const details = [
    ...(keeping.length > 0 ? [`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${namedContainers(adding)} must not include ${quoted(sorted(adding.flatMap((container) => forbidden(container.securityContext?.capabilities?.add))))} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const GOOD_VOLUMES: readonly (keyof V1Volume)[] = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret'];

const volumes: PodCheck = (spec) => {
  const bad = (spec.volumes ?? []).filter((volume) => !GOOD_VOLUMES.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const typeOf = (volume: V1Volume): string => Object.keys(volume).find((key) => key !== 'name' && volume[key as keyof V1Volume] !== undefined) ?? 'unknown';
  const types = sorted(bad.map(typeOf));
  const names = bad.map((volume) => volume.name);
  const detail = `${plural('volume', 'volumes', names.length)} ${quoted(names)} ${plural('uses', 'use', names.length)} ${plural('restricted volume type', 'restricted volume types', types.length)} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail };
};

const runAsNonRoot: PodCheck = (spec, _metadata, minor) => {
  if (isInUserNamespace(spec, minor)) return undefined;
  const reason = 'runAsNonRoot != true';
  const pod = spec.securityContext?.runAsNonRoot;
  const explicit = containersOf(spec).filter((container) => container.securityContext?.runAsNonRoot === false);
  if (pod === false || explicit.length > 0) return { reason, detail: `${setters(pod === false, explicit)} must not set securityContext.runAsNonRoot=false` };
  const implicit = pod ? [] : containersOf(spec).filter((container) => container.securityContext?.runAsNonRoot === undefined);
  return implicit.length === 0 ? undefined : { reason, detail: `pod or ${namedContainers(implicit)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: PodCheck = (spec, _metadata, minor) => {
  if (isInUserNamespace(spec, minor)) return undefined;
  const pod = spec.securityContext?.runAsUser === 0;
  const containers = containersOf(spec).filter((container) => container.securityContext?.runAsUser === 0);
  return pod || containers.length > 0 ? { reason: 'runAsUser=0', detail: `${setters(pod, containers)} must not set runAsUser=0` } : undefined;
};

const seccomp: PodCheck = (spec, _metadata, minor) => {
  if (isExemptWindows(spec, minor)) return undefined;
  const bad = badSeccomp(spec);
  if (bad || spec.securityContext?.seccompProfile) return bad;
  const containers = containersOf(spec).filter((container) => !container.securityContext?.seccompProfile);
  if (containers.length === 0) return undefined;
  return { reason: 'seccompProfile', detail: `pod or ${namedContainers(containers)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"` };
};

/** The checks that the restricted level adds, in the order in which they are reported. */
export const RESTRICTED_CHECKS: readonly RestrictedCheck[] = [
  { check: allowPrivilegeEscalation, since: 8 },
  { check: capabilities, since: 22, overrides: 'capabilities_baseline' },
  { check: (spec) => procMount(spec), since: 35, overrides: 'procMount' },
  { check: volumes, since: 0, overrides: 'hostPathVolumes' },
  { check: runAsNonRoot, since: 0 },
  { check: runAsUser, since: 23 },
  { check: seccomp, since: 19, overrides: 'seccompProfile_baseline' },
];
