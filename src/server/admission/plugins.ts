import type { RbacAuthorizer } from '../authz/rbac.js';
import type { ServerContext } from '../server-context.js';
import { AlwaysAdmit, AlwaysDeny } from './always.js';
import { AlwaysPullImages } from './always-pull-images.js';
import { LimitPodHardAntiAffinityTopology } from './anti-affinity-topology.js';
import { CertificateApproval, CertificateSigning, CertificateSubjectRestriction } from './certificates.js';
import { DefaultIngressClass } from './default-ingress-class.js';
import { DefaultTolerationSeconds } from './default-toleration-seconds.js';
import { DenyServiceExternalIPs } from './deny-external-ips.js';
import { EventRateLimit } from './event-rate-limit.js';
import { ExtendedResourceToleration } from './extended-resource-toleration.js';
import { LimitRanger } from './limit-ranger.js';
import { NamespaceAutoProvision } from './namespace-auto-provision.js';
import { NamespaceExists } from './namespace-exists.js';
import { NamespaceLifecycle } from './namespace-lifecycle.js';
import { NodeDeclaredFeatureValidator } from './node-declared-features.js';
import { NodeRestriction } from './node-restriction.js';
import { OwnerReferencesPermissionEnforcement } from './owner-references.js';
import type { AdmissionPlugin } from './plugin.js';
import { chosenPlugins } from './plugin-names.js';
import { PodNodeSelector } from './pod-node-selector.js';
import { PodResizeValidator } from './pod-resize.js';
import { PodTolerationRestriction } from './pod-toleration-restriction.js';
import { PodTopologyLabels } from './pod-topology-labels.js';
import { PodSecurity } from './podsecurity/pod-security.js';
import { PriorityAdmission } from './priority.js';
import { RbacEscalationCheck } from './rbac-escalation.js';
import { ResourceQuotaAdmission } from './resource-quota.js';
import { RuntimeClassAdmission } from './runtime-class.js';
import { ServiceAccountAdmission } from './service-account.js';
import { DefaultStorageClass, PersistentVolumeClaimResize, StorageObjectInUseProtection } from './storage.js';
import { TaintNodesByCondition } from './taint-nodes.js';
import { webhookPlugins } from './webhooks/plugins.js';

type PluginClass = new (context: ServerContext) => AdmissionPlugin;

/** What makes the plugins; their order is that of the list of names. */
const CLASSES: Readonly<Record<string, PluginClass>> = {
  AlwaysAdmit,
  NamespaceAutoProvision,
  NamespaceLifecycle,
  NamespaceExists,
  LimitPodHardAntiAffinityTopology,
  LimitRanger,
  ServiceAccount: ServiceAccountAdmission,
  NodeRestriction,
  TaintNodesByCondition,
  AlwaysPullImages,
  PodSecurity,
  PodNodeSelector,
  Priority: PriorityAdmission,
  DefaultTolerationSeconds,
  PodTolerationRestriction,
  EventRateLimit,
  ExtendedResourceToleration,
  DefaultStorageClass,
  StorageObjectInUseProtection,
  OwnerReferencesPermissionEnforcement,
  PersistentVolumeClaimResize,
  RuntimeClass: RuntimeClassAdmission,
  CertificateApproval,
  CertificateSigning,
  CertificateSubjectRestriction,
  DefaultIngressClass,
  DenyServiceExternalIPs,
  PodTopologyLabels,
  NodeDeclaredFeatureValidator,
  PodResizeValidator,
  ResourceQuota: ResourceQuotaAdmission,
  AlwaysDeny,
};

/**
 * The chain of admission: the plugins that are on, and the check that nobody grants more than they have.
 * Throws `KUBE_ADMISSION_PLUGIN` for names that cannot be enabled or disabled.
 */
export function assembleAdmission(context: ServerContext, rbac: RbacAuthorizer): AdmissionPlugin[] {
  const { enableAdmissionPlugins, disableAdmissionPlugins, authorizationModes } = context.options;
  const webhooks = webhookPlugins(context);
  const plugins = chosenPlugins(enableAdmissionPlugins, disableAdmissionPlugins).map((name) => {
    const webhook = webhooks[name];
    if (webhook) return webhook;
    const Plugin = CLASSES[name];
    if (!Plugin) throw new TypeError(`the admission plugin ${name} has no class`);
    return new Plugin(context);
  });
  return authorizationModes.includes('RBAC') ? [...plugins, new RbacEscalationCheck(context, rbac)] : plugins;
}
