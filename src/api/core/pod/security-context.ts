import type { V1PodSecurityContext, V1PodSpec, V1SecurityContext } from '../../generated/types.js';
import { goForm } from '../../helpers/go-form.js';
import { duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { groupId, userId } from '../../meta/validation/numbers.js';
import { checkAppArmorProfile, checkSeccompProfile } from './security-profiles.js';
import { visitContainers } from './visit.js';
import { checkWindowsOptions } from './windows.js';

/** Rules of a container's `securityContext`. `hostUsers` is false when the pod has a user namespace. */
export function checkSecurityContext(context: V1SecurityContext | undefined, hostUsers: boolean, path: FieldPath, errors: FieldError[]): void {
  if (context === undefined) return;
  if (context.runAsUser !== undefined) for (const message of userId(context.runAsUser)) errors.push(invalid(path.child('runAsUser'), context.runAsUser, message));
  if (context.runAsGroup !== undefined) for (const message of groupId(context.runAsGroup)) errors.push(invalid(path.child('runAsGroup'), context.runAsGroup, message));
  if (context.procMount !== undefined) {
    const at = path.child('procMount');
    if (context.procMount !== 'Default' && context.procMount !== 'Unmasked') errors.push(notSupported(at, context.procMount, ['Default', 'Unmasked']));
    if (hostUsers && context.procMount === 'Unmasked') errors.push(invalid(at, context.procMount, '`hostUsers` must be false to use `Unmasked`'));
  }
  checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) errors.push(invalid(path, goForm(context, 'SecurityContext'), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    for (const capability of context.capabilities?.add ?? []) {
      if (capability === 'CAP_SYS_ADMIN') errors.push(invalid(path, goForm(context, 'SecurityContext'), 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'));
    }
  }
  checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
}

/** Rules of a pod's `securityContext`. */
export function checkPodSecurityContext(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const context = spec.securityContext;
  if (context === undefined) return;
  const ids = [['fsGroup', groupId], ['runAsUser', userId], ['runAsGroup', groupId]] as const;
  for (const [field, rule] of ids) {
    const id = context[field];
    if (id !== undefined) for (const message of rule(id)) errors.push(invalid(path.child(field), id, message));
  }
  context.supplementalGroups?.forEach((id, i) => {
    for (const message of groupId(id)) errors.push(invalid(path.child('supplementalGroups').index(i), id, message));
  });
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    errors.push(invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  if (context.sysctls?.length) checkSysctls(spec, context, path.child('sysctls'), errors);
  checkChoice(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], path.child('fsGroupChangePolicy'), errors);
  checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
  checkChoice(context.supplementalGroupsPolicy, ['Merge', 'Strict'], path.child('supplementalGroupsPolicy'), errors);
  checkChoice(context.seLinuxChangePolicy, ['Recursive'], path.child('seLinuxChangePolicy'), errors);
}

function checkChoice(value: string | undefined, values: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (value !== undefined && !values.includes(value)) errors.push(notSupported(path, value, values));
}

const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL_RE = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;
const IPC_SYSCTLS = new Set(['kernel.shmall', 'kernel.shmmax', 'kernel.shmmni', 'kernel.shm_rmid_forced', 'kernel.shm', 'kernel.msgmax', 'kernel.msgmnb', 'kernel.msgmni', 'kernel.msg', 'kernel.sem']);

function checkSysctls(spec: V1PodSpec, context: V1PodSecurityContext, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  context.sysctls!.forEach((sysctl, i) => {
    const at = path.index(i).child('name');
    const name = sysctl.name ?? '';
    if (name === '') errors.push(required(at));
    else if (name.length > 253 || !SYSCTL_RE.test(name)) errors.push(invalid(at, name, `must have at most 253 characters and match regex ${SYSCTL}`));
    else if (seen.has(name)) errors.push(duplicate(at, name));
    const dotted = dottedSysctl(name);
    if (spec.hostNetwork === true && dotted.startsWith('net.')) errors.push(invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    else if (spec.hostIPC === true && (IPC_SYSCTLS.has(dotted) || dotted.startsWith('fs.mqueue.'))) {
      errors.push(invalid(at, name, "may not be specified when 'hostIPC' is true"));
    }
    seen.add(name);
  });
}

/** `net/ipv4/x.y` means the same as `net.ipv4.x/y`: the first separator tells which is which. */
function dottedSysctl(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  return first === '/' ? name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/')) : name;
}

/** A pod with a user namespace may not share others of the host's namespaces. */
export function checkHostUsers(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.hostUsers !== false) return;
  const message = 'when `hostUsers` is false';
  if (spec.hostNetwork) errors.push(forbidden(path.child('hostNetwork'), message));
  if (spec.hostPID) errors.push(forbidden(path.child('HostPID'), message));
  if (spec.hostIPC) errors.push(forbidden(path.child('HostIPC'), message));
  visitContainers(spec, path, (container, at) => {
    if (container.volumeDevices?.length) errors.push(forbidden(at().child('volumeDevices'), message));
  });
}
