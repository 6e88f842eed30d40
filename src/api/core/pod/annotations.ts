import type { V1AppArmorProfile, V1ObjectMeta, V1PodSpec, V1SeccompProfile, V1Toleration } from '../../generated/types.js';
import { forbidden, invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { checkDescendingPath } from './paths.js';
import { checkTolerations } from './tolerations.js';
import { visitContainers } from './visit.js';

/** Annotations of pods and templates that mean something to the API server. */
export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const TOLERATIONS_ANNOTATION = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
export const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';
export const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

type Annotations = Readonly<Record<string, string>> | undefined;

/** Rules of the annotations of a pod or a template; `path` is that of the annotations. */
export function checkPodAnnotations(annotations: Annotations, spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (annotations === undefined) return;
  const mirror = annotations[MIRROR_ANNOTATION];
  if (mirror !== undefined && !spec.nodeName) errors.push(invalid(path.key(MIRROR_ANNOTATION), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  const tolerations = annotations[TOLERATIONS_ANNOTATION];
  if (tolerations) checkTolerationsAnnotation(tolerations, path, errors);
  const cost = annotations[DELETION_COST_ANNOTATION];
  if (cost !== undefined && !isDeletionCost(cost)) errors.push(invalid(path.key(DELETION_COST_ANNOTATION), cost, 'must be a 32bit integer'));
  const seccomp = annotations[SECCOMP_POD_ANNOTATION];
  if (seccomp !== undefined) checkSeccompText(seccomp, path.child(SECCOMP_POD_ANNOTATION), errors);
  for (const key in annotations) {
    if (key.startsWith(SECCOMP_CONTAINER_PREFIX)) checkSeccompText(annotations[key]!, path.child(key), errors);
  }
  for (const key in annotations) {
    if (!key.startsWith(APP_ARMOR_PREFIX)) continue;
    const container = key.slice(APP_ARMOR_PREFIX.length);
    let found = false;
    visitContainers(spec, path, (candidate) => void (found ||= candidate.name === container));
    if (!found) errors.push(invalid(path.key(key), container, 'container not found'));
    const profile = annotations[key]!;
    if (profile !== '' && profile !== 'runtime/default' && profile !== 'unconfined' && !profile.startsWith('localhost/')) {
      errors.push(invalid(path.key(key), profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`));
    }
  }
}

/** As {@link checkPodAnnotations}, and some annotations may not change. */
export function checkPodAnnotationsUpdate(annotations: Annotations, old: Annotations, spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  for (const key in old) {
    if (annotations?.[key] === old[key]) continue;
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not remove or update AppArmor annotations'));
    if (key === MIRROR_ANNOTATION) errors.push(forbidden(path.key(key), 'may not remove or update mirror pod annotation'));
  }
  for (const key in annotations) {
    if (old?.[key] !== undefined) continue;
    if (key.startsWith(APP_ARMOR_PREFIX)) errors.push(forbidden(path.key(key), 'may not add AppArmor annotations'));
    if (key === MIRROR_ANNOTATION) errors.push(forbidden(path.key(key), 'may not add mirror pod annotation'));
  }
  checkPodAnnotations(annotations, spec, path, errors);
}

/** The old annotations for seccomp and AppArmor may not contradict the fields. */
export function checkProfileAnnotations(meta: V1ObjectMeta | undefined, spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const annotations = meta?.annotations;
  if (annotations === undefined) return;
  const podSeccomp = annotations[SECCOMP_POD_ANNOTATION];
  if (podSeccomp !== undefined) checkSeccompMatch(podSeccomp, spec.securityContext?.seccompProfile, path.child('securityContext', 'seccompProfile'), errors);
  visitContainers(spec, path, (container, at) => {
    const seccomp = annotations[SECCOMP_CONTAINER_PREFIX + container.name];
    if (seccomp !== undefined) checkSeccompMatch(seccomp, container.securityContext?.seccompProfile, at().child('securityContext', 'seccompProfile'), errors);
  });
  if (spec.os?.name === 'windows') return;
  visitContainers(spec, path, (container, at) => {
    const appArmor = annotations[APP_ARMOR_PREFIX + container.name];
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    if (appArmor !== undefined && profile) checkMatch('apparmor', appArmor, appArmorTexts(profile), profile, at().child('securityContext', 'appArmorProfile'), errors);
  });
}

/** The profile that an AppArmor annotation means; undefined when it means none. */
export function appArmorProfileOf(annotation: string): V1AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  return annotation.startsWith('localhost/') && annotation.length > 10 ? { type: 'Localhost', localhostProfile: annotation.slice(10) } : undefined;
}

function checkTolerationsAnnotation(text: string, path: FieldPath, errors: FieldError[]): void {
  let tolerations: unknown;
  try {
    tolerations = JSON.parse(text);
  } catch (error) {
    return void errors.push(invalid(path, TOLERATIONS_ANNOTATION, error instanceof Error ? error.message : String(error)));
  }
  if (Array.isArray(tolerations)) checkTolerations(tolerations as V1Toleration[], path.child(TOLERATIONS_ANNOTATION), errors);
}

function isDeletionCost(text: string): boolean {
  if (!/^(?:0|-?[0-9]+)$/.test(text) || /^0[0-9]/.test(text)) return false;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31;
}

function checkSeccompText(text: string, path: FieldPath, errors: FieldError[]): void {
  if (text === 'runtime/default' || text === 'docker/default' || text === 'unconfined') return;
  if (text.startsWith('localhost/')) checkDescendingPath(text.slice(10), path, errors);
  else errors.push(invalid(path, text, 'must be a valid seccomp profile'));
}

function checkSeccompMatch(annotation: string, profile: V1SeccompProfile | undefined, path: FieldPath, errors: FieldError[]): void {
  if (!profile) return;
  const texts = profile.type === 'Unconfined' ? ['unconfined'] : profile.type === 'RuntimeDefault' ? ['runtime/default', 'docker/default'] : [];
  checkMatch('seccomp', annotation, texts, profile, path, errors);
}

function appArmorTexts(profile: V1AppArmorProfile): string[] {
  return profile.type === 'Unconfined' ? ['unconfined'] : profile.type === 'RuntimeDefault' ? ['runtime/default'] : [];
}

function checkMatch(
  what: string,
  annotation: string,
  texts: readonly string[],
  profile: { readonly type: string; readonly localhostProfile?: string },
  path: FieldPath,
  errors: FieldError[],
): void {
  if (profile.type === 'Localhost') {
    if (!annotation.startsWith('localhost/')) errors.push(forbidden(path.child('type'), `${what} type in annotation and field must match`));
    else if (annotation.slice(10) !== profile.localhostProfile) errors.push(forbidden(path.child('localhostProfile'), `${what} profile in annotation and field must match`));
  } else if (texts.length > 0 && !texts.includes(annotation)) errors.push(forbidden(path.child('type'), `${what} type in annotation and field must match`));
}
