import type { V1Container, V1CronJob, V1Deployment, V1Namespace, V1ObjectMeta, V1Pod, V1PodSpec, V1PodTemplate } from '../../../api/generated/types.js';
import { controllerOf } from '../../../api/helpers/owner-references.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import { NAMESPACES, PODS } from '../../../api/resource-refs.js';
import { invalidError } from '../../../api/status-error.js';
import type { ServerContext } from '../../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.js';
import { refusal } from '../refuse.js';
import { levelText, policyOf, strictness, violations, violationText, type LevelVersion } from './policy.js';

const CONTROLLERS = new Set([
  '/podtemplates', '/replicationcontrollers', 'apps/daemonsets', 'apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'batch/jobs', 'batch/cronjobs',
]);
/** Subresources with which a pod can change what it runs. */
const POD_SUBRESOURCES = ['', 'ephemeralcontainers', 'resize'];
const MAX_PODS = 3000;

interface Template {
  readonly metadata?: V1ObjectMeta;
  readonly spec: V1PodSpec;
}

/** The Pod Security Standards, as the labels of each namespace ask for them. */
export class PodSecurity implements AdmissionPlugin {
  readonly name = 'PodSecurity';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    const resource = `${a.resource.group}/${a.resource.resource}`;
    if (resource === '/namespaces') this.namespace(a);
    else if (resource === '/pods') this.pod(a);
    else if (a.subresource === '' && CONTROLLERS.has(resource)) this.controller(a);
  }

  private labelsOf(namespace: string): V1ObjectMeta['labels'] {
    return this.context.view.get(NAMESPACES, '', namespace)?.metadata?.labels;
  }

  private pod(a: AdmissionAttributes): void {
    const labels = this.labelsOf(a.namespace);
    if (labels === undefined || !POD_SUBRESOURCES.includes(a.subresource)) return;
    const policy = policyOf(labels);
    if (policy.enforce.level === 'privileged' && policy.warn.level === 'privileged') return;
    const pod = a.object as V1Pod;
    if (!pod.spec || (a.operation === 'UPDATE' && !changesImages(pod, a.oldObject as V1Pod))) return;
    const found = violations(policy.enforce, pod.spec, pod.metadata);
    if (found.length > 0) throw refusal(a, `violates PodSecurity ${JSON.stringify(levelText(policy.enforce))}: ${violationText(found)}`);
    warnAbout(a, policy.warn, { spec: pod.spec, ...(pod.metadata ? { metadata: pod.metadata } : {}) });
  }

  private controller(a: AdmissionAttributes): void {
    const { warn } = policyOf(this.labelsOf(a.namespace));
    const template = warn.level === 'privileged' ? undefined : templateOf(a);
    if (template) warnAbout(a, warn, template);
  }

  private namespace(a: AdmissionAttributes): void {
    if (a.subresource !== '') return;
    const namespace = a.object as V1Namespace;
    const policy = policyOf(namespace.metadata?.labels);
    const before = a.operation === 'UPDATE' ? policyOf(a.oldObject?.metadata?.labels) : undefined;
    const name = namespace.metadata?.name ?? a.name;
    if (policy.errors.length > 0 && !(before && deepEqual(policy.errors, before.errors))) throw invalidError({ group: '', kind: 'Namespace' }, name, policy.errors);
    if (!before || deepEqual(policy.enforce, before.enforce)) return;
    if (policy.enforce.version === before.enforce.version && strictness(policy.enforce.level) <= strictness(before.enforce.level)) return;
    for (const text of this.existingPods(name, policy.enforce)) a.warn(text);
  }

  /** What the pods that are there already would violate, one line for each kind of violation. */
  private existingPods(namespace: string, enforce: LevelVersion): string[] {
    if (enforce.level === 'privileged') return [];
    const pods = prioritized(this.context.view.list(PODS, namespace));
    const checked = pods.slice(0, MAX_PODS);
    const groups = new Map<string, string[]>();
    for (const pod of checked) {
      const found = violations(enforce, pod.spec ?? { containers: [] }, pod.metadata);
      if (found.length === 0) continue;
      const reason = found.map((violation) => violation.reason).join(', ');
      groups.set(reason, [...(groups.get(reason) ?? []), pod.metadata?.name ?? '']);
    }
    const lines = [...groups].map(([reason, names]) => {
      const others = names.length - 1;
      const suffix = others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
      return `${names.sort()[0]!}${suffix}: ${reason}`;
    });
    return [
      ...(checked.length < pods.length ? [`new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`] : []),
      ...(lines.length > 0 ? [`existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(enforce))}`] : []),
      ...lines.sort(),
    ];
  }
}

function warnAbout(a: AdmissionAttributes, level: LevelVersion, { spec, metadata }: Template): void {
  const found = violations(level, spec, metadata);
  if (found.length > 0) a.warn(`would violate PodSecurity ${JSON.stringify(levelText(level))}: ${violationText(found)}`);
}

function templateOf(a: AdmissionAttributes): Template | undefined {
  const template =
    a.resource.resource === 'podtemplates' ? (a.object as V1PodTemplate).template
    : a.resource.resource === 'cronjobs' ? (a.object as V1CronJob).spec?.jobTemplate.spec?.template
    : (a.object as V1Deployment).spec?.template;
  return template?.spec ? { spec: template.spec, ...(template.metadata ? { metadata: template.metadata } : {}) } : undefined;
}

/** One pod of each controller first: the others are most likely the same. */
function prioritized(pods: readonly V1Pod[]): V1Pod[] {
  const seen = new Set<string>();
  const first: V1Pod[] = [];
  const rest: V1Pod[] = [];
  for (const pod of pods) {
    const owner = controllerOf(pod)?.uid;
    (owner !== undefined && seen.has(owner) ? rest : first).push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...rest];
}

/** Whether an update can change what runs in the pod. */
function changesImages(after: V1Pod, before: V1Pod): boolean {
  const images = (list: readonly V1Container[] | undefined): unknown => (list ?? []).map(({ name, image }) => [name, image]);
  return (['containers', 'initContainers', 'ephemeralContainers'] as const).some(
    (field) => !deepEqual(images(after.spec?.[field] as readonly V1Container[] | undefined), images(before.spec?.[field] as readonly V1Container[] | undefined)));
}
