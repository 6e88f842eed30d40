import type {
  CoreV1Event,
  EventsV1Event,
  V1APIService,
  V1Binding,
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1CertificateSigningRequest,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1ControllerRevision,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1Deployment,
  V1DeviceClass,
  V1EndpointSlice,
  V1Endpoints,
  V1FlowSchema,
  V1HorizontalPodAutoscaler,
  V1IPAddress,
  V1Ingress,
  V1IngressClass,
  V1Job,
  V1Lease,
  V1LimitRange,
  V1LocalSubjectAccessReview,
  V1MutatingAdmissionPolicy,
  V1MutatingAdmissionPolicyBinding,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodTemplate,
  V1PriorityClass,
  V1PriorityLevelConfiguration,
  V1ReplicaSet,
  V1ReplicationController,
  ResourceV1ResourceClaim,
  V1ResourceClaimTemplate,
  V1ResourceQuota,
  V1ResourceSlice,
  V1Role,
  V1RoleBinding,
  V1RuntimeClass,
  V1Secret,
  V1SelfSubjectAccessReview,
  V1SelfSubjectReview,
  V1SelfSubjectRulesReview,
  V1Service,
  V1ServiceAccount,
  V1ServiceCIDR,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1TokenReview,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V2HorizontalPodAutoscaler,
} from './generated/types.js';
import type { KubeObject } from './meta/object.js';

/** Names a resource to a client, and its type to the compiler. */
export interface ResourceRef<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never present; carries the type only. */
  readonly type?: T;
}

function ref<T extends KubeObject>(group: string, version: string, resource: string, kind: string, namespaced: boolean): ResourceRef<T> {
  return { group, version, resource, kind, namespaced };
}

export const BINDINGS: ResourceRef<V1Binding> = ref('', 'v1', 'bindings', 'Binding', true);
export const CONFIG_MAPS: ResourceRef<V1ConfigMap> = ref('', 'v1', 'configmaps', 'ConfigMap', true);
export const ENDPOINTS: ResourceRef<V1Endpoints> = ref('', 'v1', 'endpoints', 'Endpoints', true);
export const EVENTS: ResourceRef<CoreV1Event> = ref('', 'v1', 'events', 'Event', true);
export const LIMIT_RANGES: ResourceRef<V1LimitRange> = ref('', 'v1', 'limitranges', 'LimitRange', true);
export const NAMESPACES: ResourceRef<V1Namespace> = ref('', 'v1', 'namespaces', 'Namespace', false);
export const NODES: ResourceRef<V1Node> = ref('', 'v1', 'nodes', 'Node', false);
export const PERSISTENT_VOLUME_CLAIMS: ResourceRef<V1PersistentVolumeClaim> = ref('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true);
export const PERSISTENT_VOLUMES: ResourceRef<V1PersistentVolume> = ref('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const PODS: ResourceRef<V1Pod> = ref('', 'v1', 'pods', 'Pod', true);
export const POD_TEMPLATES: ResourceRef<V1PodTemplate> = ref('', 'v1', 'podtemplates', 'PodTemplate', true);
export const REPLICATION_CONTROLLERS: ResourceRef<V1ReplicationController> = ref('', 'v1', 'replicationcontrollers', 'ReplicationController', true);
export const RESOURCE_QUOTAS: ResourceRef<V1ResourceQuota> = ref('', 'v1', 'resourcequotas', 'ResourceQuota', true);
export const SECRETS: ResourceRef<V1Secret> = ref('', 'v1', 'secrets', 'Secret', true);
export const SERVICE_ACCOUNTS: ResourceRef<V1ServiceAccount> = ref('', 'v1', 'serviceaccounts', 'ServiceAccount', true);
export const SERVICES: ResourceRef<V1Service> = ref('', 'v1', 'services', 'Service', true);
export const API_SERVICES: ResourceRef<V1APIService> = ref('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false);
export const CONTROLLER_REVISIONS: ResourceRef<V1ControllerRevision> = ref('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true);
export const DAEMON_SETS: ResourceRef<V1DaemonSet> = ref('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const DEPLOYMENTS: ResourceRef<V1Deployment> = ref('apps', 'v1', 'deployments', 'Deployment', true);
export const REPLICA_SETS: ResourceRef<V1ReplicaSet> = ref('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS: ResourceRef<V1StatefulSet> = ref('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const EVENTS_V1_EVENTS: ResourceRef<EventsV1Event> = ref('events.k8s.io', 'v1', 'events', 'Event', true);
export const SELF_SUBJECT_REVIEWS: ResourceRef<V1SelfSubjectReview> = ref('authentication.k8s.io', 'v1', 'selfsubjectreviews', 'SelfSubjectReview', false);
export const TOKEN_REVIEWS: ResourceRef<V1TokenReview> = ref('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false);
export const LOCAL_SUBJECT_ACCESS_REVIEWS: ResourceRef<V1LocalSubjectAccessReview> = ref('authorization.k8s.io', 'v1', 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true);
export const SELF_SUBJECT_ACCESS_REVIEWS: ResourceRef<V1SelfSubjectAccessReview> = ref('authorization.k8s.io', 'v1', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false);
export const SELF_SUBJECT_RULES_REVIEWS: ResourceRef<V1SelfSubjectRulesReview> = ref('authorization.k8s.io', 'v1', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', false);
export const SUBJECT_ACCESS_REVIEWS: ResourceRef<V1SubjectAccessReview> = ref('authorization.k8s.io', 'v1', 'subjectaccessreviews', 'SubjectAccessReview', false);
export const HORIZONTAL_POD_AUTOSCALERS: ResourceRef<V2HorizontalPodAutoscaler> = ref('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
export const HORIZONTAL_POD_AUTOSCALERS_V1: ResourceRef<V1HorizontalPodAutoscaler> = ref('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
export const CRON_JOBS: ResourceRef<V1CronJob> = ref('batch', 'v1', 'cronjobs', 'CronJob', true);
export const JOBS: ResourceRef<V1Job> = ref('batch', 'v1', 'jobs', 'Job', true);
export const CERTIFICATE_SIGNING_REQUESTS: ResourceRef<V1CertificateSigningRequest> = ref('certificates.k8s.io', 'v1', 'certificatesigningrequests', 'CertificateSigningRequest', false);
export const INGRESS_CLASSES: ResourceRef<V1IngressClass> = ref('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass', false);
export const INGRESSES: ResourceRef<V1Ingress> = ref('networking.k8s.io', 'v1', 'ingresses', 'Ingress', true);
export const IP_ADDRESSES: ResourceRef<V1IPAddress> = ref('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress', false);
export const NETWORK_POLICIES: ResourceRef<V1NetworkPolicy> = ref('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true);
export const SERVICE_CIDRS: ResourceRef<V1ServiceCIDR> = ref('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', false);
export const POD_DISRUPTION_BUDGETS: ResourceRef<V1PodDisruptionBudget> = ref('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true);
export const CLUSTER_ROLE_BINDINGS: ResourceRef<V1ClusterRoleBinding> = ref('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false);
export const CLUSTER_ROLES: ResourceRef<V1ClusterRole> = ref('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false);
export const ROLE_BINDINGS: ResourceRef<V1RoleBinding> = ref('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true);
export const ROLES: ResourceRef<V1Role> = ref('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const CSI_DRIVERS: ResourceRef<V1CSIDriver> = ref('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const CSI_NODES: ResourceRef<V1CSINode> = ref('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSI_STORAGE_CAPACITIES: ResourceRef<V1CSIStorageCapacity> = ref('storage.k8s.io', 'v1', 'csistoragecapacities', 'CSIStorageCapacity', true);
export const STORAGE_CLASSES: ResourceRef<V1StorageClass> = ref('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
export const VOLUME_ATTACHMENTS: ResourceRef<V1VolumeAttachment> = ref('storage.k8s.io', 'v1', 'volumeattachments', 'VolumeAttachment', false);
export const VOLUME_ATTRIBUTES_CLASSES: ResourceRef<V1VolumeAttributesClass> = ref('storage.k8s.io', 'v1', 'volumeattributesclasses', 'VolumeAttributesClass', false);
export const MUTATING_ADMISSION_POLICIES: ResourceRef<V1MutatingAdmissionPolicy> = ref('admissionregistration.k8s.io', 'v1', 'mutatingadmissionpolicies', 'MutatingAdmissionPolicy', false);
export const MUTATING_ADMISSION_POLICY_BINDINGS: ResourceRef<V1MutatingAdmissionPolicyBinding> = ref('admissionregistration.k8s.io', 'v1', 'mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', false);
export const MUTATING_WEBHOOK_CONFIGURATIONS: ResourceRef<V1MutatingWebhookConfiguration> = ref('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', false);
export const VALIDATING_ADMISSION_POLICIES: ResourceRef<V1ValidatingAdmissionPolicy> = ref('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', false);
export const VALIDATING_ADMISSION_POLICY_BINDINGS: ResourceRef<V1ValidatingAdmissionPolicyBinding> = ref('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', false);
export const VALIDATING_WEBHOOK_CONFIGURATIONS: ResourceRef<V1ValidatingWebhookConfiguration> = ref('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', false);
export const CUSTOM_RESOURCE_DEFINITIONS: ResourceRef<V1CustomResourceDefinition> = ref('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false);
export const PRIORITY_CLASSES: ResourceRef<V1PriorityClass> = ref('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false);
export const LEASES: ResourceRef<V1Lease> = ref('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const RUNTIME_CLASSES: ResourceRef<V1RuntimeClass> = ref('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const ENDPOINT_SLICES: ResourceRef<V1EndpointSlice> = ref('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true);
export const DEVICE_CLASSES: ResourceRef<V1DeviceClass> = ref('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);
export const RESOURCE_CLAIMS: ResourceRef<ResourceV1ResourceClaim> = ref('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true);
export const RESOURCE_CLAIM_TEMPLATES: ResourceRef<V1ResourceClaimTemplate> = ref('resource.k8s.io', 'v1', 'resourceclaimtemplates', 'ResourceClaimTemplate', true);
export const RESOURCE_SLICES: ResourceRef<V1ResourceSlice> = ref('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const FLOW_SCHEMAS: ResourceRef<V1FlowSchema> = ref('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false);
export const PRIORITY_LEVEL_CONFIGURATIONS: ResourceRef<V1PriorityLevelConfiguration> = ref('flowcontrol.apiserver.k8s.io', 'v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', false);
