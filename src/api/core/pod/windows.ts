import type { V1PodSpec, V1WindowsSecurityContextOptions } from '../../generated/types.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { byteLength } from '../../meta/validation/messages.js';
import { dns1123Subdomain } from '../../meta/validation/names.js';
import { visitContainers } from './visit.js';

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Rules of `windowsOptions` of pods and containers. */
export function checkWindowsOptions(options: V1WindowsSecurityContextOptions | undefined, path: FieldPath, errors: FieldError[]): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined) for (const message of dns1123Subdomain(specName)) errors.push(invalid(path.child('gmsaCredentialSpecName'), specName, message));
  if (spec === '') errors.push(invalid(path.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec cannot be an empty string'));
  else if (spec !== undefined && byteLength(spec) > 64 * 1024) errors.push(invalid(path.child('gmsaCredentialSpec'), spec, 'gmsaCredentialSpec size must be under 64 KiB'));
  if (runAsUserName !== undefined) {
    for (const message of userNameProblems(runAsUserName)) errors.push(invalid(path.child('runAsUserName'), runAsUserName, message));
  }
}

function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if ([...name].some((character) => character < ' ' || character === '\x7f')) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const problems: string[] = [];
  if (domain !== undefined && byteLength(domain) >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
  if (domain !== undefined && !NETBIOS.test(domain) && !DNS_DOMAIN.test(domain)) problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}

/** Containers that are processes of the host: all of a pod or none, with the host's network. */
export function checkHostProcess(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const podValue = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainers(spec, path, (container, at) => {
    containers++;
    const value = container.securityContext?.windowsOptions?.hostProcess;
    if (podValue !== undefined && value !== undefined && podValue !== value) {
      errors.push(invalid(at().child('securityContext', 'windowsOptions', 'hostProcess'), value,
        `pod hostProcess value must be identical if both are specified, was ${podValue}`));
    }
    if (value ?? podValue ?? false) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) errors.push(invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (spec.hostNetwork !== true) errors.push(invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'));
}

const POD_SECURITY = [
  'fsGroup', 'fsGroupChangePolicy', 'sysctls', 'runAsUser', 'runAsGroup', 'supplementalGroups', 'supplementalGroupsPolicy', 'seLinuxChangePolicy',
] as const;
const CONTAINER_SECURITY = [
  'appArmorProfile', 'seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged', 'allowPrivilegeEscalation', 'procMount',
  'runAsUser', 'runAsGroup',
] as const;

/** Rules of `os` and of the fields that the named system does not have. */
export function checkOs(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  if (!name) return void errors.push(required(path.child('os', 'name')));
  if (name !== 'linux' && name !== 'windows') return void errors.push(notSupported(path.child('os'), name, ['linux', 'windows']));
  if (name === 'linux') checkLinux(spec, path, errors);
  else checkWindows(spec, path, errors);
}

function checkLinux(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const message = 'windows options cannot be set for a linux pod';
  if (spec.securityContext?.windowsOptions) errors.push(forbidden(path.child('securityContext', 'windowsOptions'), message));
  visitContainers(spec, path, (container, at) => {
    if (container.securityContext?.windowsOptions) errors.push(forbidden(at().child('securityContext', 'windowsOptions'), message));
  });
}

function checkWindows(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const refuse = (at: FieldPath): void => void errors.push(forbidden(at, 'cannot be set for a windows pod'));
  const context = spec.securityContext;
  const security = path.child('securityContext');
  if (context?.appArmorProfile) refuse(security.child('appArmorProfile'));
  if (context?.seLinuxOptions) refuse(security.child('seLinuxOptions'));
  if (spec.hostUsers !== undefined) refuse(path.child('hostUsers'));
  if (spec.hostPID) refuse(path.child('hostPID'));
  if (spec.hostIPC) refuse(path.child('hostIPC'));
  if (context?.seccompProfile) refuse(security.child('seccompProfile'));
  for (const field of POD_SECURITY) {
    if (field === 'runAsUser' && spec.shareProcessNamespace !== undefined) refuse(path.child('shareProcessNamespace'));
    const value = context?.[field];
    if (value !== undefined && !(field === 'sysctls' && context!.sysctls!.length === 0)) refuse(security.child(field));
  }
  visitContainers(spec, path, (container, at) => {
    for (const field of CONTAINER_SECURITY) if (container.securityContext?.[field] !== undefined) refuse(at().child('securityContext', field));
  });
}
