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
  V1ComponentStatus,
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

export const BINDINGS = ref<V1Binding>('', 'v1', 'bindings', 'Binding', true);
export const COMPONENT_STATUSES = ref<V1ComponentStatus>('', 'v1', 'componentstatuses', 'ComponentStatus', false);
export const CONFIG_MAPS = ref<V1ConfigMap>('', 'v1', 'configmaps', 'ConfigMap', true);
export const ENDPOINTS = ref<V1Endpoints>('', 'v1', 'endpoints', 'Endpoints', true);
export const EVENTS = ref<CoreV1Event>('', 'v1', 'events', 'Event', true);
export const LIMIT_RANGES = ref<V1LimitRange>('', 'v1', 'limitranges', 'LimitRange', true);
export const NAMESPACES = ref<V1Namespace>('', 'v1', 'namespaces', 'Namespace', false);
export const NODES = ref<V1Node>('', 'v1', 'nodes', 'Node', false);
export const PERSISTENT_VOLUME_CLAIMS = ref<V1PersistentVolumeClaim>('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', true);
export const PERSISTENT_VOLUMES = ref<V1PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const PODS = ref<V1Pod>('', 'v1', 'pods', 'Pod', true);
export const POD_TEMPLATES = ref<V1PodTemplate>('', 'v1', 'podtemplates', 'PodTemplate', true);
export const REPLICATION_CONTROLLERS = ref<V1ReplicationController>('', 'v1', 'replicationcontrollers', 'ReplicationController', true);
export const RESOURCE_QUOTAS = ref<V1ResourceQuota>('', 'v1', 'resourcequotas', 'ResourceQuota', true);
export const SECRETS = ref<V1Secret>('', 'v1', 'secrets', 'Secret', true);
export const SERVICE_ACCOUNTS = ref<V1ServiceAccount>('', 'v1', 'serviceaccounts', 'ServiceAccount', true);
export const SERVICES = ref<V1Service>('', 'v1', 'services', 'Service', true);
export const API_SERVICES = ref<V1APIService>('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false);
export const CONTROLLER_REVISIONS = ref<V1ControllerRevision>('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true);
export const DAEMON_SETS = ref<V1DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const DEPLOYMENTS = ref<V1Deployment>('apps', 'v1', 'deployments', 'Deployment', true);
export const REPLICA_SETS = ref<V1ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS = ref<V1StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const EVENTS_V1_EVENTS = ref<EventsV1Event>('events.k8s.io', 'v1', 'events', 'Event', true);
export const SELF_SUBJECT_REVIEWS = ref<V1SelfSubjectReview>('authentication.k8s.io', 'v1', 'selfsubjectreviews', 'SelfSubjectReview', false);
export const TOKEN_REVIEWS = ref<V1TokenReview>('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false);
export const LOCAL_SUBJECT_ACCESS_REVIEWS = ref<V1LocalSubjectAccessReview>('authorization.k8s.io', 'v1', 'localsubjectaccessreviews', 'LocalSubjectAccessReview', true);
export const SELF_SUBJECT_ACCESS_REVIEWS = ref<V1SelfSubjectAccessReview>('authorization.k8s.io', 'v1', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', false);
export const SELF_SUBJECT_RULES_REVIEWS = ref<V1SelfSubjectRulesReview>('authorization.k8s.io', 'v1', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', false);
export const SUBJECT_ACCESS_REVIEWS = ref<V1SubjectAccessReview>('authorization.k8s.io', 'v1', 'subjectaccessreviews', 'SubjectAccessReview', false);
export const HORIZONTAL_POD_AUTOSCALERS = ref<V2HorizontalPodAutoscaler>('autoscaling', 'v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
export const HORIZONTAL_POD_AUTOSCALERS_V1 = ref<V1HorizontalPodAutoscaler>('autoscaling', 'v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', true);
export const CRON_JOBS = ref<V1CronJob>('batch', 'v1', 'cronjobs', 'CronJob', true);
export const JOBS = ref<V1Job>('batch', 'v1', 'jobs', 'Job', true);
export const CERTIFICATE_SIGNING_REQUESTS = ref<V1CertificateSigningRequest>('certificates.k8s.io', 'v1', 'certificatesigningrequests', 'CertificateSigningRequest', false);
export const INGRESS_CLASSES = ref<V1IngressClass>('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass', false);
export const INGRESSES = ref<V1Ingress>('networking.k8s.io', 'v1', 'ingresses', 'Ingress', true);
export const IP_ADDRESSES = ref<V1IPAddress>('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress', false);
export const NETWORK_POLICIES = ref<V1NetworkPolicy>('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true);
export const SERVICE_CIDRS = ref<V1ServiceCIDR>('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', false);
export const POD_DISRUPTION_BUDGETS = ref<V1PodDisruptionBudget>('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', true);
export const CLUSTER_ROLE_BINDINGS = ref<V1ClusterRoleBinding>('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', false);
export const CLUSTER_ROLES = ref<V1ClusterRole>('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false);
export const ROLE_BINDINGS = ref<V1RoleBinding>('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true);
export const ROLES = ref<V1Role>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const CSI_DRIVERS = ref<V1CSIDriver>('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const CSI_NODES = ref<V1CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSI_STORAGE_CAPACITIES = ref<V1CSIStorageCapacity>('storage.k8s.io', 'v1', 'csistoragecapacities', 'CSIStorageCapacity', true);
export const STORAGE_CLASSES = ref<V1StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
export const VOLUME_ATTACHMENTS = ref<V1VolumeAttachment>('storage.k8s.io', 'v1', 'volumeattachments', 'VolumeAttachment', false);
export const VOLUME_ATTRIBUTES_CLASSES = ref<V1VolumeAttributesClass>('storage.k8s.io', 'v1', 'volumeattributesclasses', 'VolumeAttributesClass', false);
export const MUTATING_ADMISSION_POLICIES = ref<V1MutatingAdmissionPolicy>('admissionregistration.k8s.io', 'v1', 'mutatingadmissionpolicies', 'MutatingAdmissionPolicy', false);
export const MUTATING_ADMISSION_POLICY_BINDINGS = ref<V1MutatingAdmissionPolicyBinding>('admissionregistration.k8s.io', 'v1', 'mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', false);
export const MUTATING_WEBHOOK_CONFIGURATIONS = ref<V1MutatingWebhookConfiguration>('admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', false);
export const VALIDATING_ADMISSION_POLICIES = ref<V1ValidatingAdmissionPolicy>('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', false);
export const VALIDATING_ADMISSION_POLICY_BINDINGS = ref<V1ValidatingAdmissionPolicyBinding>('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', false);
export const VALIDATING_WEBHOOK_CONFIGURATIONS = ref<V1ValidatingWebhookConfiguration>('admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations', 'ValidatingWebhookConfiguration', false);
export const CUSTOM_RESOURCE_DEFINITIONS = ref<V1CustomResourceDefinition>('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false);
export const PRIORITY_CLASSES = ref<V1PriorityClass>('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false);
export const LEASES = ref<V1Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const RUNTIME_CLASSES = ref<V1RuntimeClass>('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const ENDPOINT_SLICES = ref<V1EndpointSlice>('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true);
export const DEVICE_CLASSES = ref<V1DeviceClass>('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);
export const RESOURCE_CLAIMS = ref<ResourceV1ResourceClaim>('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true);
export const RESOURCE_CLAIM_TEMPLATES = ref<V1ResourceClaimTemplate>('resource.k8s.io', 'v1', 'resourceclaimtemplates', 'ResourceClaimTemplate', true);
export const RESOURCE_SLICES = ref<V1ResourceSlice>('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const FLOW_SCHEMAS = ref<V1FlowSchema>('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false);
export const PRIORITY_LEVEL_CONFIGURATIONS = ref<V1PriorityLevelConfiguration>('flowcontrol.apiserver.k8s.io', 'v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', false);
