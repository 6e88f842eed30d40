import type { V1ObjectMeta, V1PodSpec } from '../../generated/types.js';
import { duplicate, invalid, notFound, notSupportedInOrder, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { qualifiedName, validateLabels } from '../../meta/validation/labels.js';
import { rangeMessage } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain } from '../../meta/validation/names.js';
import { checkAffinity } from './affinity.js';
import { checkContainers, checkEphemeralContainers, checkInitContainers, type ContainerContext } from './containers.js';
import { checkDnsConfig, checkHostAliases, checkHostnameOverride } from './dns.js';
import { checkResourceClaims } from './resource-claims.js';
import { checkOverhead, checkPodResources } from './resources.js';
import { checkHostUsers, checkPodSecurityContext } from './security-context.js';
import { checkTolerations } from './tolerations.js';
import { checkTopologySpread } from './topology-spread.js';
import { visitContainers } from './visit.js';
import { checkVolumes } from './volumes.js';
import { checkHostProcess, checkOs } from './windows.js';

interface PodSpecRules {
  /** A pod itself, not the template of one. */
  readonly isPod: boolean;
  /** Of the pod; absent for templates. */
  readonly podMeta?: V1ObjectMeta;
}

const MAX_INT32 = 2 ** 31 - 1;
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

/** Rules of a pod's spec, in upstream's order, which is that of the causes in the answer. Errors are added to `errors`. */
export function checkPodSpec(spec: V1PodSpec, path: FieldPath, { isPod, podMeta }: PodSpecRules, errors: FieldError[]): void {
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(path.child('terminationGracePeriodSeconds')));
  const volumes = checkVolumes(spec.volumes ?? [], podMeta, path.child('volumes'), isPod, errors);
  const claims = new Set((spec.resourceClaims ?? []).flatMap((claim) => (claim.name ? [claim.name] : [])));
  if (spec.resourceClaims) checkResourceClaims(spec.resourceClaims, podMeta, path.child('resourceClaims'), errors);
  const context: ContainerContext = { spec, volumes, claims, errors };
  checkContainers(context, path.child('containers'));
  checkInitContainers(context, path.child('initContainers'));
  checkEphemeralContainers(context, path.child('ephemeralContainers'));
  checkPodResources(spec, claims, path, errors);
  if (spec.hostNetwork) checkHostNetworkPorts(spec, isPod, path.child('containers'), errors);
  checkChoice(spec.restartPolicy, RESTART_POLICIES, path.child('restartPolicy'), errors);
  checkChoice(spec.dnsPolicy, DNS_POLICIES, path.child('dnsPolicy'), errors);
  if (spec.nodeSelector) errors.push(...validateLabels(spec.nodeSelector, path.child('nodeSelector')));
  checkPodSecurityContext(spec, path.child('securityContext'), errors);
  if (spec.affinity) checkAffinity(spec.affinity, path.child('affinity'), errors);
  checkDnsConfig(spec, path.child('dnsConfig'), errors);
  spec.readinessGates?.forEach((gate, i) => checkQualified(gate.conditionType, path.child('readinessGates').index(i).child('conditionType'), errors));
  checkSchedulingGates(spec, path.child('schedulingGates'), errors);
  checkTopologySpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), errors);
  checkHostProcess(spec, path, errors);
  checkHostUsers(spec, path, errors);
  checkHostnameOverride(spec, path, errors);
  checkSubdomain(spec.serviceAccountName, path.child('serviceAccountName'), errors);
  checkSubdomain(spec.nodeName, path.child('nodeName'), errors);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > MAX_INT32)) errors.push(invalid(path.child('activeDeadlineSeconds'), deadline, rangeMessage(1, MAX_INT32)));
  checkLabel(spec.hostname, path.child('hostname'), errors);
  checkLabel(spec.subdomain, path.child('subdomain'), errors);
  checkTolerations(spec.tolerations, path.child('tolerations'), errors);
  checkHostAliases(spec.hostAliases, path.child('hostAliases'), errors);
  checkSubdomain(spec.priorityClassName, path.child('priorityClassName'), errors);
  if (spec.runtimeClassName !== undefined) {
    for (const message of dns1123Subdomain(spec.runtimeClassName)) errors.push(invalid(path.child('runtimeClassName'), spec.runtimeClassName, message));
  }
  if (spec.preemptionPolicy !== undefined) checkChoice(spec.preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy'), errors);
  checkOverhead(spec.overhead, path.child('overhead'), errors);
  checkOs(spec, path, errors);
  if (spec.schedulingGroup) checkSchedulingGroup(spec.schedulingGroup.podGroupName, path.child('schedulingGroup', 'podGroupName'), errors);
  checkFileKeyRefs(spec, path, errors);
}

function checkHostNetworkPorts(spec: V1PodSpec, isPod: boolean, path: FieldPath, errors: FieldError[]): void {
  (spec.containers ?? []).forEach((container, i) => {
    container.ports?.forEach((port, j) => {
      const hostPort = port.hostPort ?? 0;
      if ((isPod || hostPort !== 0) && hostPort !== (port.containerPort ?? 0)) {
        errors.push(invalid(path.index(i).child('ports').index(j).child('hostPort'), hostPort, 'must match `containerPort` when `hostNetwork` is true'));
      }
    });
  });
}

function checkSchedulingGates(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  spec.schedulingGates?.forEach((gate, i) => {
    checkQualified(gate.name, path.index(i), errors);
    if (seen.has(gate.name)) errors.push(duplicate(path.index(i), gate.name));
    seen.add(gate.name);
  });
}

function checkSchedulingGroup(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (name === undefined) errors.push(invalid(path, null, 'must specify one of: `podGroupName`'));
  else for (const message of dns1123Subdomain(name)) errors.push(invalid(path, name, message));
}

/** Variables may be read from files of `emptyDir` volumes only. */
function checkFileKeyRefs(spec: V1PodSpec, path: FieldPath, errors: FieldError[]): void {
  visitContainers(spec, path, (container, at) => {
    container.env?.forEach((variable, i) => {
      const ref = variable.valueFrom?.fileKeyRef;
      if (!ref) return;
      const where = at().child('env').index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
      const volume = spec.volumes?.findLast((candidate) => candidate.name === ref.volumeName);
      if (!volume) errors.push(notFound(where, ref.volumeName ?? ''));
      else if (!volume.emptyDir) errors.push(invalid(where, ref.volumeName, 'referenced volume must be of type emptyDir'));
    });
  });
}

function checkChoice(value: string | undefined, values: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (!value) errors.push(required(path));
  else if (!values.includes(value)) errors.push(notSupportedInOrder(path, value, values));
}

function checkQualified(value: string | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const message of qualifiedName(value ?? '')) errors.push(invalid(path, value ?? '', message));
}

function checkSubdomain(value: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (value) for (const message of dns1123Subdomain(value)) errors.push(invalid(path, value, message));
}

function checkLabel(value: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (value) for (const message of dns1123Label(value)) errors.push(invalid(path, value, message));
}
