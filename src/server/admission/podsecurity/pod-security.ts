import type { V1CronJob, V1Deployment, V1Namespace, V1ObjectMeta, V1Pod, V1PodSpec, V1PodTemplate } from '../../../api/generated/types.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import { NAMESPACES, PODS } from '../../../api/resource-refs.js';
import { invalidError } from '../../../api/status-error.js';
import type { ServerContext } from '../../server-context.js';
import { DEFAULT_POD_SECURITY, type PodSecurityConfiguration } from '../config/pod-security.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.js';
import { refusal } from '../refuse.js';
import { existingPodWarnings, exemptWarning } from './namespace-warnings.js';
import { levelText, strictness, type LevelVersion, type Policy } from './level.js';
import { policyOf, violations, violationText, type LabelledPolicy } from './policy.js';

const CONTROLLERS = new Set([
  '/podtemplates', '/replicationcontrollers', 'apps/daemonsets', 'apps/deployments', 'apps/replicasets', 'apps/statefulsets', 'batch/jobs', 'batch/cronjobs',
]);
/** Subresources with which a pod cannot change what it runs. */
const IGNORED_SUBRESOURCES = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);

interface Template {
  readonly metadata?: V1ObjectMeta;
  readonly spec: V1PodSpec;
}

/** The Pod Security Standards, as the labels of each namespace and the configuration ask for them. */
export class PodSecurity implements AdmissionPlugin {
  readonly name = 'PodSecurity';
  private readonly configuration: PodSecurityConfiguration;

  constructor(private readonly context: ServerContext) {
    this.configuration = context.options.admissionConfiguration?.podSecurity ?? DEFAULT_POD_SECURITY;
  }

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    const resource = `${a.resource.group}/${a.resource.resource}`;
    if (resource === '/namespaces') this.namespace(a);
    else if (resource === '/pods') this.pod(a);
    else if (a.subresource === '' && CONTROLLERS.has(resource)) this.controller(a);
  }

  private policyOf(labels: V1ObjectMeta['labels']): LabelledPolicy {
    return policyOf(labels, this.configuration.defaults);
  }

  /** Undefined: nothing is to be checked there. */
  private policyFor(a: AdmissionAttributes): Policy | undefined {
    const { namespaces, usernames } = this.configuration.exemptions;
    if (namespaces.includes(a.namespace) || usernames.includes(a.user.name)) return undefined;
    const namespace = this.context.view.get(NAMESPACES, '', a.namespace);
    return namespace && this.policyOf(namespace.metadata?.labels).policy;
  }

  private isExempt({ runtimeClassName }: V1PodSpec): boolean {
    return runtimeClassName !== undefined && this.configuration.exemptions.runtimeClasses.includes(runtimeClassName);
  }

  private pod(a: AdmissionAttributes): void {
    if (IGNORED_SUBRESOURCES.has(a.subresource)) return;
    const policy = this.policyFor(a);
    if (!policy || (policy.enforce.level === 'privileged' && policy.warn.level === 'privileged')) return;
    const { spec, metadata } = a.object as V1Pod;
    if (!spec || (a.operation === 'UPDATE' && !changesImages(spec, (a.oldObject as V1Pod).spec)) || this.isExempt(spec)) return;
    const found = violations(policy.enforce, spec, metadata);
    if (found.length > 0) throw refusal(a, `violates PodSecurity ${JSON.stringify(levelText(policy.enforce))}: ${violationText(found)}`);
    warnAbout(a, policy.warn, { spec, ...(metadata ? { metadata } : {}) });
  }

  private controller(a: AdmissionAttributes): void {
    const warn = this.policyFor(a)?.warn;
    const template = !warn || warn.level === 'privileged' ? undefined : templateOf(a);
    if (warn && template && !this.isExempt(template.spec)) warnAbout(a, warn, template);
  }

  private namespace(a: AdmissionAttributes): void {
    if (a.subresource !== '') return;
    const { metadata } = a.object as V1Namespace;
    const { policy, errors } = this.policyOf(metadata?.labels);
    const name = metadata?.name ?? a.name;
    const before = a.operation === 'UPDATE' ? this.policyOf(a.oldObject?.metadata?.labels) : undefined;
    if (errors.length > 0 && !(before && deepEqual(errors, before.errors))) throw invalidError({ group: '', kind: 'Namespace' }, name, errors);
    if (before && !isTightened(policy.enforce, before.policy.enforce)) return;
    if (this.configuration.exemptions.namespaces.includes(name)) {
      const warning = exemptWarning(name, policy, this.configuration.defaults, metadata?.labels);
      if (warning !== undefined) a.warn(warning);
    } else if (before) for (const text of existingPodWarnings(name, policy.enforce, this.context.view.list(PODS, name), (spec) => this.isExempt(spec))) a.warn(text);
  }
}

/** Whether pods that kept the old level may violate the new one. */
function isTightened(after: LevelVersion, before: LevelVersion): boolean {
  if (deepEqual(after, before) || after.level === 'privileged') return false;
  return after.version !== before.version || strictness(after.level) > strictness(before.level);
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

/** Whether an update can change what runs in the pod. */
function changesImages(after: V1PodSpec, before: V1PodSpec | undefined): boolean {
  for (const list of ['containers', 'initContainers'] as const) {
    const [now, then] = [after[list] ?? [], before?.[list] ?? []];
    if (now.length !== then.length || now.some(({ image }, i) => image !== then[i]!.image)) return true;
  }
  const known = new Map((before?.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (after.ephemeralContainers ?? []).some(({ name, image }) => !known.has(name) || known.get(name) !== image);
}
