import type { V1Container, V1EphemeralContainer, V1PodSpec, V1Volume } from '../../generated/types.js';
import { duplicate, forbidden, invalid, notFound, notSupported, notSupportedInOrder, required, tooMany, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { dns1123Label } from '../../meta/validation/names.js';
import { checkEnv, checkEnvFrom } from './env.js';
import { checkLifecycle, checkProbe } from './handlers.js';
import { checkVolumeDevices, checkVolumeMounts } from './mounts.js';
import { checkContainerPorts, checkHostPortConflicts } from './ports.js';
import { checkPullPolicy } from './pull-policy.js';
import { checkContainerResources } from './resources.js';
import { checkSecurityContext } from './security-context.js';

/** What the containers of a pod share. */
export interface ContainerContext {
  readonly spec: V1PodSpec;
  /** Volumes without errors, by name. */
  readonly volumes: ReadonlyMap<string, V1Volume>;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly errors: FieldError[];
}

/** Rules of `spec.containers`. */
export function checkContainers(context: ContainerContext, path: FieldPath): void {
  const { spec, errors } = context;
  const containers = spec.containers ?? [];
  if (containers.length === 0) return void errors.push(required(path));
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = path.index(i);
    checkCommon(container, context, at);
    const name = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    checkRunning(container, context, at);
    checkRestartPolicy(container, false, at, errors);
  });
  checkHostPortConflicts(containers, path, errors);
}

/** Rules of `spec.initContainers`; those that always restart are sidecars and may have what containers have. */
export function checkInitContainers(context: ContainerContext, path: FieldPath): void {
  const { spec, errors } = context;
  if (!spec.initContainers?.length) return;
  const names = new Set((spec.containers ?? []).map((container) => container.name ?? ''));
  spec.initContainers.forEach((container, i) => {
    const at = path.index(i);
    checkCommon(container, context, at);
    checkRestartPolicy(container, true, at, errors);
    const name = container.name ?? '';
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else if (name !== '') names.add(name);
    checkHostPortConflicts([container], path, errors);
    if (container.restartPolicy === 'Always') return checkRunning(container, context, at);
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[field] !== undefined) errors.push(forbidden(at.child(field), 'may not be set for init containers without restartPolicy=Always'));
    }
    container.resizePolicy?.forEach((policy, j) => {
      if (policy.restartPolicy !== 'RestartContainer') return;
      errors.push(invalid(at.child('resizePolicy').index(j).child('restartPolicy'), policy.restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers"));
    });
  });
}

/** In the order in which upstream walks the fields of a container. */
const NOT_EPHEMERAL = [
  'ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle',
] as const;

/** Rules of `spec.ephemeralContainers`. */
export function checkEphemeralContainers(context: ContainerContext, path: FieldPath): void {
  const { spec, errors } = context;
  if (!spec.ephemeralContainers?.length) return;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.name ?? ''));
  const names = new Set(others);
  spec.ephemeralContainers.forEach((container, i) => {
    const at = path.index(i);
    checkCommon(container, context, at);
    checkImageSpace(container, at, errors);
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    names.add(container.name);
    if (container.targetContainerName && !others.has(container.targetContainerName)) errors.push(notFound(at.child('targetContainerName'), container.targetContainerName));
    for (const field of NOT_EPHEMERAL) if (isSet(container, field)) errors.push(forbidden(at.child(field), 'cannot be set for an Ephemeral Container'));
    container.volumeMounts?.forEach((mount, j) => {
      const mountPath = at.child('volumeMounts').index(j);
      if (mount.subPath) errors.push(forbidden(mountPath.child('subPath'), 'cannot be set for an Ephemeral Container'));
      if (mount.subPathExpr) errors.push(forbidden(mountPath.child('subPathExpr'), 'cannot be set for an Ephemeral Container'));
    });
  });
}

/** The image's name without blanks around it; in templates they are let pass. */
export function checkImageSpace(container: V1Container, path: FieldPath, errors: FieldError[]): void {
  if (container.image && container.image !== container.image.trim()) errors.push(invalid(path.child('image'), container.image, 'must not have leading or trailing whitespace'));
}

function isSet(container: V1EphemeralContainer, field: (typeof NOT_EPHEMERAL)[number]): boolean {
  const value = container[field];
  if (value === undefined) return false;
  if (field === 'resources') return Object.values(value).some((part: unknown) => part !== undefined);
  return true;
}

function checkRunning(container: V1Container, { spec, errors }: ContainerContext, path: FieldPath): void {
  const grace = spec.terminationGracePeriodSeconds;
  checkLifecycle(container.lifecycle, grace, path.child('lifecycle'), errors);
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) checkProbe(container[kind], kind, grace, path, errors);
}

const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

function checkCommon(container: V1Container, { spec, volumes, claims, errors }: ContainerContext, path: FieldPath): void {
  if (!container.name) errors.push(required(path.child('name')));
  else for (const message of dns1123Label(container.name)) errors.push(invalid(path.child('name'), container.name, message));
  if (!container.image) errors.push(required(path.child('image')));
  const policy = container.terminationMessagePolicy;
  if (!policy) errors.push(required(path.child('terminationMessagePolicy')));
  else if (!TERMINATION_MESSAGE_POLICIES.includes(policy)) errors.push(notSupportedInOrder(path.child('terminationMessagePolicy'), policy, TERMINATION_MESSAGE_POLICIES));
  checkContainerPorts(container.ports, path.child('ports'), errors);
  checkEnv(container.env, path.child('env'), errors);
  checkEnvFrom(container.envFrom, path.child('envFrom'), errors);
  checkVolumeMounts(container, volumes, path.child('volumeMounts'), errors);
  checkVolumeDevices(container, volumes, path.child('volumeDevices'), errors);
  checkPullPolicy(container.imagePullPolicy, path.child('imagePullPolicy'), errors);
  checkContainerResources(container.resources, claims, path.child('resources'), errors);
  checkResizePolicy(container, spec.restartPolicy, path.child('resizePolicy'), errors);
  checkSecurityContext(container.securityContext, spec.hostUsers !== false, path.child('securityContext'), errors);
}

function checkResizePolicy(container: V1Container, podRestartPolicy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  container.resizePolicy?.forEach((policy, i) => {
    const { resourceName = '', restartPolicy = '' } = policy;
    if (seen.has(resourceName)) errors.push(duplicate(path.index(i), resourceName));
    seen.add(resourceName);
    if (resourceName === '') errors.push(required(path));
    else if (resourceName !== 'cpu' && resourceName !== 'memory') errors.push(notSupported(path, resourceName, ['cpu', 'memory']));
    if (restartPolicy === '') errors.push(required(path));
    else if (restartPolicy !== 'NotRequired' && restartPolicy !== 'RestartContainer') errors.push(notSupported(path, restartPolicy, ['NotRequired', 'RestartContainer']));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
  });
}

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RESTART_ACTIONS = ['Restart', 'RestartAllContainers'];

function checkRestartPolicy(container: V1Container, isInit: boolean, path: FieldPath, errors: FieldError[]): void {
  const rules = container.restartPolicyRules ?? [];
  const policy = container.restartPolicy;
  if (policy === undefined) {
    if (rules.length === 0) return;
    errors.push(required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
    if (isInit) return;
  } else if (!RESTART_POLICIES.includes(policy)) errors.push(notSupported(path.child('restartPolicy'), policy, RESTART_POLICIES));
  if (rules.length > 20) errors.push(tooMany(path.child('restartPolicyRules'), rules.length, 20));
  rules.forEach((rule, i) => {
    const at = path.child('restartPolicyRules').index(i);
    if (!RESTART_ACTIONS.includes(rule.action)) errors.push(notSupported(at.child('action'), rule.action ?? '', RESTART_ACTIONS));
    if (!rule.exitCodes) return void errors.push(required(at.child('exitCodes'), 'must be specified'));
    const { operator = '', values = [] } = rule.exitCodes;
    if (operator !== 'In' && operator !== 'NotIn') errors.push(notSupported(at.child('exitCodes', 'operator'), operator, ['In', 'NotIn']));
    if (values.length > 255) errors.push(tooMany(at.child('exitCodes', 'values'), values.length, 255));
  });
}
