import { KubeError } from '../../base/errors.js';
import { aggregateText } from '../../api/helpers/aggregate-text.js';

/** One admission plugin as upstream knows it. */
export interface PluginFacts {
  readonly name: string;
  /** On unless it is disabled. */
  readonly byDefault: boolean;
  /**
   * `absent`: not part of this server, so that it cannot be enabled. `inert`: it acts for a feature that is off in Kubernetes 1.36, so that it has
   * nothing to do, here as upstream.
   */
  readonly state?: 'absent' | 'inert';
}

const on = (name: string, state?: PluginFacts['state']): PluginFacts => ({ name, byDefault: true, ...(state ? { state } : {}) });
const off = (name: string, state?: PluginFacts['state']): PluginFacts => ({ name, byDefault: false, ...(state ? { state } : {}) });

/** Every plugin in the order in which they are asked: that of Kubernetes 1.36. */
export const ADMISSION_PLUGINS: readonly PluginFacts[] = [
  off('AlwaysAdmit'),
  off('NamespaceAutoProvision'),
  on('NamespaceLifecycle'),
  off('NamespaceExists'),
  off('LimitPodHardAntiAffinityTopology'),
  on('LimitRanger'),
  on('ServiceAccount'),
  // Upstream leaves it out by default; everybody who installs Kubernetes turns it on, and so do we.
  on('NodeRestriction'),
  on('TaintNodesByCondition'),
  off('AlwaysPullImages'),
  off('ImagePolicyWebhook', 'absent'),
  on('PodSecurity'),
  off('PodNodeSelector'),
  on('Priority'),
  on('DefaultTolerationSeconds'),
  off('PodTolerationRestriction'),
  off('EventRateLimit'),
  off('ExtendedResourceToleration'),
  on('DefaultStorageClass'),
  on('StorageObjectInUseProtection'),
  on('PodGroupProtection', 'inert'),
  off('OwnerReferencesPermissionEnforcement'),
  on('PersistentVolumeClaimResize'),
  on('RuntimeClass'),
  on('CertificateApproval'),
  on('CertificateSigning'),
  on('ClusterTrustBundleAttest', 'inert'),
  on('CertificateSubjectRestriction'),
  on('DefaultIngressClass'),
  off('DenyServiceExternalIPs'),
  on('PodTopologyLabels'),
  on('PodGroupWorkloadExists', 'inert'),
  on('NodeDeclaredFeatureValidator'),
  on('JobValidation', 'inert'),
  on('PodResizeValidator'),
  on('MutatingAdmissionPolicy', 'absent'),
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy', 'absent'),
  on('ValidatingAdmissionWebhook'),
  on('ResourceQuota'),
  off('AlwaysDeny'),
];

const BY_NAME = new Map(ADMISSION_PLUGINS.map((facts) => [facts.name, facts]));

/** Whether there is a plugin of this name, here or upstream. */
export const isAdmissionPlugin = (name: string): boolean => BY_NAME.has(name);

/**
 * The plugins that are on, in order; those that are not part of this server or have nothing to do are left out. Throws `KUBE_ADMISSION_PLUGIN` for a name that nobody knows,
 * for one that is both enabled and disabled, and for one that is enabled but not here.
 */
export function chosenPlugins(enabled: readonly string[], disabled: readonly string[]): string[] {
  const mistakes = [
    ...unknown('enable-admission-plugins', enabled),
    ...unknown('disable-admission-plugins', disabled),
    ...overlap(enabled, disabled),
    ...[...new Set(enabled)].filter((name) => BY_NAME.get(name)?.state === 'absent').map((name) => `enable-admission-plugins plugin ${JSON.stringify(name)} is not part of this server`),
  ];
  if (mistakes.length > 0) throw new KubeError('KUBE_ADMISSION_PLUGIN', aggregateText(mistakes));
  return ADMISSION_PLUGINS.filter(({ name, byDefault, state }) => state === undefined && (enabled.includes(name) || (byDefault && !disabled.includes(name)))).map(({ name }) => name);
}

function unknown(flag: string, names: readonly string[]): string[] {
  return names.filter((name) => !BY_NAME.has(name)).map((name) => `${flag} plugin ${JSON.stringify(name)} is unknown`);
}

function overlap(enabled: readonly string[], disabled: readonly string[]): string[] {
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  return both.length === 0 ? [] : [`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`];
}
