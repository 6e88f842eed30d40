/**
 * What each way of writing leaves as it is, so that nobody comes to own it by it. By `<group>/<resource>`, then by subresource (empty: the object itself);
 * dotted paths. Source: the strategies of upstream's registries.
 */
export const RESET_FIELDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '/namespaces': { '': ['status'], status: ['spec'], finalize: ['status'] },
  '/nodes': { '': ['status'], status: ['spec'] },
  '/persistentvolumeclaims': { '': ['status'], status: ['spec'] },
  '/persistentvolumes': { '': ['status'], status: ['spec'] },
  '/pods': { '': ['status'], status: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'] },
  '/replicationcontrollers': { '': ['status'], status: ['spec'] },
  '/resourcequotas': { '': ['status'], status: ['spec'] },
  '/services': { '': ['status'], status: ['spec'] },
  'admissionregistration.k8s.io/validatingadmissionpolicies': { '': ['status'], status: ['spec', 'metadata'] },
  'apiextensions.k8s.io/customresourcedefinitions': { '': ['status'], status: ['spec'] },
  'apiregistration.k8s.io/apiservices': { '': ['status'], status: ['spec', 'metadata'] },
  'apps/daemonsets': { '': ['status'], status: ['spec'] },
  'apps/deployments': { '': ['status'], status: ['spec', 'metadata.labels'] },
  'apps/replicasets': { '': ['status'], status: ['spec'] },
  'apps/statefulsets': { '': ['status'], status: ['spec'] },
  'autoscaling/horizontalpodautoscalers': { '': ['status'], status: ['spec'] },
  'batch/cronjobs': { '': ['status'], status: ['spec'] },
  'batch/jobs': { '': ['status'], status: ['spec'] },
  'certificates.k8s.io/certificatesigningrequests': { '': ['spec', 'status'], status: ['spec', 'status.conditions'], approval: ['spec', 'status.certificate'] },
  'flowcontrol.apiserver.k8s.io/flowschemas': { '': ['status'], status: ['metadata', 'spec'] },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { '': ['status'], status: ['metadata', 'spec'] },
  'networking.k8s.io/ingresses': { '': ['status'], status: ['spec'] },
  'networking.k8s.io/servicecidrs': { '': ['status'], status: ['metadata', 'spec'] },
  'policy/poddisruptionbudgets': { '': ['status'], status: ['spec'] },
  'resource.k8s.io/resourceclaims': { '': ['status'], status: ['metadata', 'spec'] },
  'storage.k8s.io/volumeattachments': { '': ['status'], status: ['metadata', 'spec'] },
};

/** Custom resources with a status. */
export const CUSTOM_RESET_FIELDS: Readonly<Record<string, readonly string[]>> = { '': ['status'], status: ['metadata', 'spec'] };

/** Ways of writing that change nothing but what matches a path; `*` stands for any element. */
export const WRITTEN_FIELDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '/pods': {
    ephemeralcontainers: ['spec.ephemeralContainers'],
    resize: ['spec.containers.*.resources', 'spec.containers.*.resizePolicy', 'spec.initContainers.*.resources', 'spec.initContainers.*.resizePolicy'],
  },
};
