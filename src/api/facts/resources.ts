import type { ResourceFacts } from '../scheme/resource-facts.js';

/** Verbs of an ordinary persisted resource. */
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
/** Verbs of a subresource that is read and written like the object. */
const RW = ['get', 'patch', 'update'];

/** Every built-in resource of the served stable group versions, in discovery order. */
export const RESOURCES: readonly ResourceFacts[] = [
  { group: '', version: 'v1', resource: 'bindings', singular: 'binding', kind: 'Binding', namespaced: true, verbs: ['create'] },
  { group: '', version: 'v1', resource: 'componentstatuses', singular: 'componentstatus', kind: 'ComponentStatus', namespaced: false, verbs: ['get', 'list'], shortNames: ['cs'] },
  { group: '', version: 'v1', resource: 'configmaps', singular: 'configmap', kind: 'ConfigMap', namespaced: true, verbs: ALL, shortNames: ['cm'] },
  { group: '', version: 'v1', resource: 'endpoints', singular: 'endpoints', kind: 'Endpoints', namespaced: true, verbs: ALL, shortNames: ['ep'] },
  { group: '', version: 'v1', resource: 'events', singular: 'event', kind: 'Event', namespaced: true, verbs: ALL, shortNames: ['ev'] },
  { group: '', version: 'v1', resource: 'limitranges', singular: 'limitrange', kind: 'LimitRange', namespaced: true, verbs: ALL, shortNames: ['limits'] },
  { group: '', version: 'v1', resource: 'namespaces', singular: 'namespace', kind: 'Namespace', namespaced: false, verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'], shortNames: ['ns'], subresources: [
    { name: 'finalize', kind: 'Namespace', verbs: ['update'] },
    { name: 'status', kind: 'Namespace', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'nodes', singular: 'node', kind: 'Node', namespaced: false, verbs: ALL, shortNames: ['no'], subresources: [
    { name: 'proxy', kind: 'NodeProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
    { name: 'status', kind: 'Node', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'persistentvolumeclaims', singular: 'persistentvolumeclaim', kind: 'PersistentVolumeClaim', namespaced: true, verbs: ALL, shortNames: ['pvc'], subresources: [
    { name: 'status', kind: 'PersistentVolumeClaim', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'persistentvolumes', singular: 'persistentvolume', kind: 'PersistentVolume', namespaced: false, verbs: ALL, shortNames: ['pv'], subresources: [
    { name: 'status', kind: 'PersistentVolume', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'pods', singular: 'pod', kind: 'Pod', namespaced: true, verbs: ALL, shortNames: ['po'], categories: ['all'], subresources: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: RW },
    { name: 'eviction', kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
    { name: 'proxy', kind: 'PodProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
    { name: 'resize', kind: 'Pod', verbs: RW },
    { name: 'status', kind: 'Pod', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'podtemplates', singular: 'podtemplate', kind: 'PodTemplate', namespaced: true, verbs: ALL },
  { group: '', version: 'v1', resource: 'replicationcontrollers', singular: 'replicationcontroller', kind: 'ReplicationController', namespaced: true, verbs: ALL, shortNames: ['rc'], categories: ['all'], subresources: [
    { name: 'scale', kind: 'Scale', verbs: RW, group: 'autoscaling', version: 'v1' },
    { name: 'status', kind: 'ReplicationController', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'resourcequotas', singular: 'resourcequota', kind: 'ResourceQuota', namespaced: true, verbs: ALL, shortNames: ['quota'], subresources: [
    { name: 'status', kind: 'ResourceQuota', verbs: RW },
  ] },
  { group: '', version: 'v1', resource: 'secrets', singular: 'secret', kind: 'Secret', namespaced: true, verbs: ALL },
  { group: '', version: 'v1', resource: 'serviceaccounts', singular: 'serviceaccount', kind: 'ServiceAccount', namespaced: true, verbs: ALL, shortNames: ['sa'], subresources: [
    { name: 'token', kind: 'TokenRequest', verbs: ['create'], group: 'authentication.k8s.io', version: 'v1' },
  ] },
  { group: '', version: 'v1', resource: 'services', singular: 'service', kind: 'Service', namespaced: true, verbs: ALL, shortNames: ['svc'], categories: ['all'], subresources: [
    { name: 'proxy', kind: 'ServiceProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
    { name: 'status', kind: 'Service', verbs: RW },
  ] },
  { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', singular: 'apiservice', kind: 'APIService', namespaced: false, verbs: ALL, categories: ['api-extensions'], subresources: [
    { name: 'status', kind: 'APIService', verbs: RW },
  ] },
  { group: 'apps', version: 'v1', resource: 'controllerrevisions', singular: 'controllerrevision', kind: 'ControllerRevision', namespaced: true, verbs: ALL },
  { group: 'apps', version: 'v1', resource: 'daemonsets', singular: 'daemonset', kind: 'DaemonSet', namespaced: true, verbs: ALL, shortNames: ['ds'], categories: ['all'], subresources: [
    { name: 'status', kind: 'DaemonSet', verbs: RW },
  ] },
  { group: 'apps', version: 'v1', resource: 'deployments', singular: 'deployment', kind: 'Deployment', namespaced: true, verbs: ALL, shortNames: ['deploy'], categories: ['all'], subresources: [
    { name: 'scale', kind: 'Scale', verbs: RW, group: 'autoscaling', version: 'v1' },
    { name: 'status', kind: 'Deployment', verbs: RW },
  ] },
  { group: 'apps', version: 'v1', resource: 'replicasets', singular: 'replicaset', kind: 'ReplicaSet', namespaced: true, verbs: ALL, shortNames: ['rs'], categories: ['all'], subresources: [
    { name: 'scale', kind: 'Scale', verbs: RW, group: 'autoscaling', version: 'v1' },
    { name: 'status', kind: 'ReplicaSet', verbs: RW },
  ] },
  { group: 'apps', version: 'v1', resource: 'statefulsets', singular: 'statefulset', kind: 'StatefulSet', namespaced: true, verbs: ALL, shortNames: ['sts'], categories: ['all'], subresources: [
    { name: 'scale', kind: 'Scale', verbs: RW, group: 'autoscaling', version: 'v1' },
    { name: 'status', kind: 'StatefulSet', verbs: RW },
  ] },
  { group: 'events.k8s.io', version: 'v1', resource: 'events', singular: 'event', kind: 'Event', namespaced: true, verbs: ALL, shortNames: ['ev'] },
  { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews', singular: 'selfsubjectreview', kind: 'SelfSubjectReview', namespaced: false, verbs: ['create'] },
  { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews', singular: 'tokenreview', kind: 'TokenReview', namespaced: false, verbs: ['create'] },
  { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews', singular: 'localsubjectaccessreview', kind: 'LocalSubjectAccessReview', namespaced: true, verbs: ['create'] },
  { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews', singular: 'selfsubjectaccessreview', kind: 'SelfSubjectAccessReview', namespaced: false, verbs: ['create'] },
  { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectrulesreviews', singular: 'selfsubjectrulesreview', kind: 'SelfSubjectRulesReview', namespaced: false, verbs: ['create'] },
  { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews', singular: 'subjectaccessreview', kind: 'SubjectAccessReview', namespaced: false, verbs: ['create'] },
  { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', kind: 'HorizontalPodAutoscaler', namespaced: true, verbs: ALL, shortNames: ['hpa'], categories: ['all'], subresources: [
    { name: 'status', kind: 'HorizontalPodAutoscaler', verbs: RW },
  ] },
  { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers', singular: 'horizontalpodautoscaler', kind: 'HorizontalPodAutoscaler', namespaced: true, verbs: ALL, shortNames: ['hpa'], categories: ['all'], subresources: [
    { name: 'status', kind: 'HorizontalPodAutoscaler', verbs: RW },
  ] },
  { group: 'batch', version: 'v1', resource: 'cronjobs', singular: 'cronjob', kind: 'CronJob', namespaced: true, verbs: ALL, shortNames: ['cj'], categories: ['all'], subresources: [
    { name: 'status', kind: 'CronJob', verbs: RW },
  ] },
  { group: 'batch', version: 'v1', resource: 'jobs', singular: 'job', kind: 'Job', namespaced: true, verbs: ALL, categories: ['all'], subresources: [
    { name: 'status', kind: 'Job', verbs: RW },
  ] },
  { group: 'certificates.k8s.io', version: 'v1', resource: 'certificatesigningrequests', singular: 'certificatesigningrequest', kind: 'CertificateSigningRequest', namespaced: false, verbs: ALL, shortNames: ['csr'], subresources: [
    { name: 'approval', kind: 'CertificateSigningRequest', verbs: RW },
    { name: 'status', kind: 'CertificateSigningRequest', verbs: RW },
  ] },
  { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses', singular: 'ingressclass', kind: 'IngressClass', namespaced: false, verbs: ALL },
  { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', singular: 'ingress', kind: 'Ingress', namespaced: true, verbs: ALL, shortNames: ['ing'], subresources: [
    { name: 'status', kind: 'Ingress', verbs: RW },
  ] },
  { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses', singular: 'ipaddress', kind: 'IPAddress', namespaced: false, verbs: ALL, shortNames: ['ip'] },
  { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', singular: 'networkpolicy', kind: 'NetworkPolicy', namespaced: true, verbs: ALL, shortNames: ['netpol'] },
  { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs', singular: 'servicecidr', kind: 'ServiceCIDR', namespaced: false, verbs: ALL, subresources: [
    { name: 'status', kind: 'ServiceCIDR', verbs: RW },
  ] },
  { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets', singular: 'poddisruptionbudget', kind: 'PodDisruptionBudget', namespaced: true, verbs: ALL, shortNames: ['pdb'], subresources: [
    { name: 'status', kind: 'PodDisruptionBudget', verbs: RW },
  ] },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings', singular: 'clusterrolebinding', kind: 'ClusterRoleBinding', namespaced: false, verbs: ALL },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles', singular: 'clusterrole', kind: 'ClusterRole', namespaced: false, verbs: ALL },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'rolebindings', singular: 'rolebinding', kind: 'RoleBinding', namespaced: true, verbs: ALL },
  { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'roles', singular: 'role', kind: 'Role', namespaced: true, verbs: ALL },
  { group: 'storage.k8s.io', version: 'v1', resource: 'csidrivers', singular: 'csidriver', kind: 'CSIDriver', namespaced: false, verbs: ALL },
  { group: 'storage.k8s.io', version: 'v1', resource: 'csinodes', singular: 'csinode', kind: 'CSINode', namespaced: false, verbs: ALL },
  { group: 'storage.k8s.io', version: 'v1', resource: 'csistoragecapacities', singular: 'csistoragecapacity', kind: 'CSIStorageCapacity', namespaced: true, verbs: ALL },
  { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses', singular: 'storageclass', kind: 'StorageClass', namespaced: false, verbs: ALL, shortNames: ['sc'] },
  { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattachments', singular: 'volumeattachment', kind: 'VolumeAttachment', namespaced: false, verbs: ALL, subresources: [
    { name: 'status', kind: 'VolumeAttachment', verbs: RW },
  ] },
  { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattributesclasses', singular: 'volumeattributesclass', kind: 'VolumeAttributesClass', namespaced: false, verbs: ALL, shortNames: ['vac'] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingadmissionpolicies', singular: 'mutatingadmissionpolicy', kind: 'MutatingAdmissionPolicy', namespaced: false, verbs: ALL, categories: ['api-extensions'] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingadmissionpolicybindings', singular: 'mutatingadmissionpolicybinding', kind: 'MutatingAdmissionPolicyBinding', namespaced: false, verbs: ALL, categories: ['api-extensions'] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingwebhookconfigurations', singular: 'mutatingwebhookconfiguration', kind: 'MutatingWebhookConfiguration', namespaced: false, verbs: ALL, categories: ['api-extensions'] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicies', singular: 'validatingadmissionpolicy', kind: 'ValidatingAdmissionPolicy', namespaced: false, verbs: ALL, categories: ['api-extensions'], subresources: [
    { name: 'status', kind: 'ValidatingAdmissionPolicy', verbs: RW },
  ] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingadmissionpolicybindings', singular: 'validatingadmissionpolicybinding', kind: 'ValidatingAdmissionPolicyBinding', namespaced: false, verbs: ALL, categories: ['api-extensions'] },
  { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations', singular: 'validatingwebhookconfiguration', kind: 'ValidatingWebhookConfiguration', namespaced: false, verbs: ALL, categories: ['api-extensions'] },
  { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', singular: 'customresourcedefinition', kind: 'CustomResourceDefinition', namespaced: false, verbs: ALL, shortNames: ['crd', 'crds'], categories: ['api-extensions'], subresources: [
    { name: 'status', kind: 'CustomResourceDefinition', verbs: RW },
  ] },
  { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses', singular: 'priorityclass', kind: 'PriorityClass', namespaced: false, verbs: ALL, shortNames: ['pc'] },
  { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', singular: 'lease', kind: 'Lease', namespaced: true, verbs: ALL },
  { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses', singular: 'runtimeclass', kind: 'RuntimeClass', namespaced: false, verbs: ALL },
  { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', singular: 'endpointslice', kind: 'EndpointSlice', namespaced: true, verbs: ALL },
  { group: 'resource.k8s.io', version: 'v1', resource: 'deviceclasses', singular: 'deviceclass', kind: 'DeviceClass', namespaced: false, verbs: ALL },
  { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaims', singular: 'resourceclaim', kind: 'ResourceClaim', namespaced: true, verbs: ALL, subresources: [
    { name: 'status', kind: 'ResourceClaim', verbs: RW },
  ] },
  { group: 'resource.k8s.io', version: 'v1', resource: 'resourceclaimtemplates', singular: 'resourceclaimtemplate', kind: 'ResourceClaimTemplate', namespaced: true, verbs: ALL },
  { group: 'resource.k8s.io', version: 'v1', resource: 'resourceslices', singular: 'resourceslice', kind: 'ResourceSlice', namespaced: false, verbs: ALL },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'flowschemas', singular: 'flowschema', kind: 'FlowSchema', namespaced: false, verbs: ALL, subresources: [
    { name: 'status', kind: 'FlowSchema', verbs: RW },
  ] },
  { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'prioritylevelconfigurations', singular: 'prioritylevelconfiguration', kind: 'PriorityLevelConfiguration', namespaced: false, verbs: ALL, subresources: [
    { name: 'status', kind: 'PriorityLevelConfiguration', verbs: RW },
  ] },
];
