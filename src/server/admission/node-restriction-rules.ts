import type { V1Pod, V1Volume } from '../../api/generated/types.js';
import { referencedSecrets } from './service-account-secrets.js';

type Labels = Readonly<Record<string, string>> | undefined;

const NODE_LABELS = new Set([
  'kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region', 'beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type', 'kubernetes.io/os',
  'kubernetes.io/arch', 'beta.kubernetes.io/os', 'beta.kubernetes.io/arch',
]);
const NODE_LABEL_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_DOMAIN = 'node-restriction.kubernetes.io';

const within = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** Keys whose value differs. */
export function modifiedLabels(after: Labels, before: Labels): string[] {
  const keys = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...keys].filter((key) => after?.[key] !== before?.[key]);
}

/** Those of the labels that a node may not set on itself, sorted: they could steer workloads to it. */
export function forbiddenNodeLabels(keys: readonly string[]): string[] {
  return keys.filter((key) => {
    const slash = key.indexOf('/');
    const domain = slash < 0 ? '' : key.slice(0, slash);
    if (within(domain, RESTRICTED_DOMAIN)) return true;
    const isOurs = within(domain, 'kubernetes.io') || within(domain, 'k8s.io');
    return isOurs && !NODE_LABELS.has(key) && !NODE_LABEL_DOMAINS.some((allowed) => within(domain, allowed));
  }).sort();
}

/** The first kind of API object that a pod refers to, as upstream names it; undefined when it refers to none. */
export function apiReferenceOf(pod: V1Pod): string | undefined {
  const spec = pod.spec;
  if (spec?.serviceAccountName) return 'serviceaccounts';
  if (referencedSecrets(pod).length > 0) return 'secrets';
  if (refersToConfigMaps(pod)) return 'configmaps';
  if (spec?.resourceClaims?.length) return 'resourceclaims';
  for (const volume of spec?.volumes ?? []) {
    const reference = volumeReference(volume);
    if (reference !== undefined) return reference;
  }
  return undefined;
}

function refersToConfigMaps(pod: V1Pod): boolean {
  const spec = pod.spec;
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
  return (
    containers.some((container) => container.envFrom?.some((source) => source.configMapRef) || container.env?.some((variable) => variable.valueFrom?.configMapKeyRef)) ||
    (spec?.volumes ?? []).some((volume) => volume.configMap || volume.projected?.sources?.some((source) => source.configMap))
  );
}

function volumeReference(volume: V1Volume): string | undefined {
  if (volume.csi) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle) return 'clustertrustbundles';
    if (source.podCertificate) return 'podcertificates';
  }
  return undefined;
}
