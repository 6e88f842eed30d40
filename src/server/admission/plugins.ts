import { KubeError } from '../../base/errors.js';
import type { RbacAuthorizer } from '../authz/rbac.js';
import type { ServerContext } from '../server-context.js';
import { CertificateApproval, CertificateSigning, CertificateSubjectRestriction } from './certificates.js';
import { DefaultIngressClass } from './default-ingress-class.js';
import { DefaultTolerationSeconds } from './default-toleration-seconds.js';
import { LimitRanger } from './limit-ranger.js';
import { NamespaceLifecycle } from './namespace-lifecycle.js';
import { NodeRestriction } from './node-restriction.js';
import type { AdmissionPlugin } from './plugin.js';
import { PodTopologyLabels } from './pod-topology-labels.js';
import { PodSecurity } from './podsecurity/pod-security.js';
import { PriorityAdmission } from './priority.js';
import { RbacEscalationCheck } from './rbac-escalation.js';
import { ResourceQuotaAdmission } from './resource-quota.js';
import { RuntimeClassAdmission } from './runtime-class.js';
import { ServiceAccountAdmission } from './service-account.js';
import { DefaultStorageClass, PersistentVolumeClaimResize, StorageObjectInUseProtection } from './storage.js';
import { TaintNodesByCondition } from './taint-nodes.js';

/** Every plugin in upstream's order. */
function allPlugins(context: ServerContext): AdmissionPlugin[] {
  return [
    new NamespaceLifecycle(context),
    new LimitRanger(context),
    new ServiceAccountAdmission(context),
    new NodeRestriction(context),
    new TaintNodesByCondition(),
    new PodSecurity(context),
    new PriorityAdmission(context),
    new DefaultTolerationSeconds(),
    new DefaultStorageClass(context),
    new StorageObjectInUseProtection(),
    new PersistentVolumeClaimResize(context),
    new RuntimeClassAdmission(context),
    new CertificateApproval(context),
    new CertificateSigning(context),
    new CertificateSubjectRestriction(),
    new DefaultIngressClass(context),
    new PodTopologyLabels(context),
    new ResourceQuotaAdmission(context),
  ];
}

/** Known upstream but not here: naming them is no mistake, and has no effect. */
const ABSENT = [
  'AlwaysAdmit', 'AlwaysDeny', 'AlwaysPullImages', 'ClusterTrustBundleAttest', 'DenyServiceExternalIPs', 'EventRateLimit', 'ExtendedResourceToleration',
  'ImagePolicyWebhook', 'LimitPodHardAntiAffinityTopology', 'MutatingAdmissionPolicy', 'MutatingAdmissionWebhook', 'NamespaceAutoProvision', 'NamespaceExists',
  'OwnerReferencesPermissionEnforcement', 'PodNodeSelector', 'PodTolerationRestriction', 'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

/**
 * The chain of admission: the plugins that are on, and the check that nobody grants more than they have.
 * Throws `KUBE_ADMISSION_PLUGIN` for a name that nobody knows.
 */
export function assembleAdmission(context: ServerContext, rbac: RbacAuthorizer): AdmissionPlugin[] {
  const { enableAdmissionPlugins, disableAdmissionPlugins, authorizationModes } = context.options;
  const plugins = allPlugins(context);
  const known = new Set([...plugins.map((plugin) => plugin.name), ...ABSENT]);
  for (const name of [...enableAdmissionPlugins, ...disableAdmissionPlugins]) {
    if (!known.has(name)) throw new KubeError('KUBE_ADMISSION_PLUGIN', `unknown admission plugin ${JSON.stringify(name)}`);
  }
  const on = plugins.filter((plugin) => !disableAdmissionPlugins.includes(plugin.name) || enableAdmissionPlugins.includes(plugin.name));
  return authorizationModes.includes('RBAC') ? [...on, new RbacEscalationCheck(context, rbac)] : on;
}
