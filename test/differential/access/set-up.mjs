const CLUSTER = ['Namespace', 'Node', 'PersistentVolume', 'VolumeAttachment', 'ResourceSlice', 'ClusterRole', 'ClusterRoleBinding', 'CertificateSigningRequest'];

/** Path to which an object of the set-up is sent. */
export function collectionOf(object) {
  const plural = `${object.kind.toLowerCase()}s`;
  const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  return CLUSTER.includes(object.kind) ? `${root}/${plural}` : `${root}/namespaces/${object.metadata.namespace}/${plural}`;
}
