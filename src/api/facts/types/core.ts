import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.core.v1`. */
export const core: PackageFacts = {
  package: 'io.k8s.api.core.v1',
  group: '',
  version: 'v1',
  plain: `
    AWSElasticBlockStoreVolumeSource Affinity AzureFileVolumeSource Binding CSIPersistentVolumeSource CinderPersistentVolumeSource
    CinderVolumeSource ComponentStatusList ConfigMapList ContainerExtendedResourceRequest ContainerState ContainerStateWaiting ContainerUser
    DaemonEndpoint EndpointsList EnvFromSource EnvVar EnvVarSource EphemeralVolumeSource EventList EventSource FlexPersistentVolumeSource
    FlexVolumeSource FlockerVolumeSource GCEPersistentDiskVolumeSource GitRepoVolumeSource GlusterfsVolumeSource HTTPHeader HostIP
    LifecycleHandler LimitRangeList NFSVolumeSource NamespaceList NodeConfigSource NodeConfigStatus NodeList NodeSystemInfo
    PersistentVolumeClaimList PersistentVolumeClaimTemplate PersistentVolumeClaimVolumeSource PersistentVolumeList
    PhotonPersistentDiskVolumeSource PodIP PodList PodSchedulingGate PodTemplateList PortworxVolumeSource PreferredSchedulingTerm
    QuobyteVolumeSource ReplicationControllerList ResourceClaim ResourceQuotaList SELinuxOptions SecretList ServiceAccountList ServiceList
    SessionAffinityConfig SleepAction StorageOSPersistentVolumeSource StorageOSVolumeSource Sysctl TCPSocketAction VolumeDevice
    VolumeNodeAffinity VolumeProjection VolumeStatus VsphereVirtualDiskVolumeSource WeightedPodAffinityTerm
  `,
  types: {
    AppArmorProfile: '@union(type; localhostProfile=LocalhostProfile); type AppArmorProfileType; localhostProfile*',
    AttachedVolume: 'name UniqueVolumeName',
    AzureDiskVolumeSource: `
      cachingMode* AzureDataDiskCachingMode +default("ReadWrite"); fsType* +default("ext4"); readOnly* +default(false);
      kind* AzureDataDiskKind +default("Shared")
    `,
    AzureFilePersistentVolumeSource: 'secretNamespace*!',
    CSIVolumeSource: 'readOnly*; fsType*',
    Capabilities: 'add []Capability +atomic; drop []Capability +atomic',
    CephFSPersistentVolumeSource: 'monitors +atomic',
    CephFSVolumeSource: 'monitors +atomic',
    ClientIPConfig: 'timeoutSeconds*',
    ClusterTrustBundleProjection: 'name*; signerName*; optional*',
    ComponentCondition: 'type ComponentConditionType; status ConditionStatus',
    ComponentStatus: 'conditions +map(type)+merge(type)',
    ConfigMap: 'immutable*',
    ConfigMapEnvSource: 'name +default(""); optional*; ^LocalObjectReference(name)',
    ConfigMapKeySelector: '@atomic; name +default(""); optional*; ^LocalObjectReference(name)',
    ConfigMapNodeConfigSource: 'uid types.UID',
    ConfigMapProjection: 'name +default(""); items +atomic; optional*; ^LocalObjectReference(name)',
    ConfigMapVolumeSource: 'name +default(""); items +atomic; defaultMode*; optional*; ^LocalObjectReference(name)',
    Container: `
      command +atomic; args +atomic; ports +map(containerPort,protocol)+merge(containerPort); envFrom +atomic; env +map(name)+merge(name);
      resources=; resizePolicy +atomic; restartPolicy* ContainerRestartPolicy; restartPolicyRules +atomic;
      volumeMounts +map(mountPath)+merge(mountPath); volumeDevices +map(devicePath)+merge(devicePath);
      terminationMessagePolicy TerminationMessagePolicy; imagePullPolicy PullPolicy
    `,
    ContainerImage: 'names! +atomic',
    ContainerPort: 'protocol Protocol +default("TCP")',
    ContainerResizePolicy: 'resourceName ResourceName; restartPolicy ResourceResizeRestartPolicy',
    ContainerRestartRule: 'action? ContainerRestartRuleAction',
    ContainerRestartRuleOnExitCodes: 'operator? ContainerRestartRuleOnExitCodesOperator; values +set',
    ContainerStateRunning: 'startedAt=',
    ContainerStateTerminated: 'startedAt=; finishedAt=',
    ContainerStatus: `
      state=; lastState=; started*; allocatedResources ResourceList; volumeMounts +map(mountPath)+merge(mountPath);
      allocatedResourcesStatus +map(name)+merge(name); stopSignal* Signal
    `,
    DownwardAPIProjection: 'items +atomic',
    DownwardAPIVolumeFile: 'mode*',
    DownwardAPIVolumeSource: 'items +atomic; defaultMode*',
    EmptyDirVolumeSource: 'medium StorageMedium; sizeLimit resource.Quantity',
    EndpointAddress: '@atomic; nodeName*',
    EndpointPort: '@atomic; protocol Protocol; appProtocol*',
    EndpointSubset: 'addresses +atomic; notReadyAddresses +atomic; ports +atomic',
    Endpoints: 'subsets +atomic',
    EphemeralContainer: `
      command +atomic; args +atomic; ports +map(containerPort,protocol)+merge(containerPort); envFrom +atomic; env +map(name)+merge(name);
      resources=; resizePolicy +atomic; restartPolicy* ContainerRestartPolicy; restartPolicyRules +atomic;
      volumeMounts +map(mountPath)+merge(mountPath); volumeDevices +map(devicePath)+merge(devicePath);
      terminationMessagePolicy TerminationMessagePolicy; imagePullPolicy PullPolicy;
      ^EphemeralContainerCommon(name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules
        volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty)
    `,
    Event: 'source=; firstTimestamp=; lastTimestamp=; eventTime=; reportingComponent!; reportingInstance!',
    EventSeries: 'lastObservedTime=',
    ExecAction: 'command +atomic',
    FCVolumeSource: 'targetWWNs +atomic; lun*; wwids +atomic',
    FileKeySelector: '@atomic; optional* +default(false)',
    GRPCAction: 'service*! +default("")',
    GlusterfsPersistentVolumeSource: 'endpointsNamespace*',
    HTTPGetAction: 'scheme URIScheme; httpHeaders +atomic',
    HostAlias: 'hostnames +atomic',
    HostPathVolumeSource: 'type* HostPathType',
    ISCSIPersistentVolumeSource: 'iscsiInterface +default("default"); portals +atomic; initiatorName*',
    ISCSIVolumeSource: 'iscsiInterface +default("default"); portals +atomic; initiatorName*',
    ImageVolumeSource: 'pullPolicy PullPolicy',
    ImageVolumeStatus: 'imageRef?',
    KeyToPath: 'mode*',
    Lifecycle: 'stopSignal* Signal',
    LimitRange: 'spec=',
    LimitRangeItem: `
      type LimitType; max ResourceList; min ResourceList; default ResourceList; defaultRequest ResourceList; maxLimitRequestRatio ResourceList
    `,
    LimitRangeSpec: 'limits +atomic',
    LinuxContainerUser: 'supplementalGroups +atomic',
    LoadBalancerIngress: 'ipMode* LoadBalancerIPMode; ports +atomic',
    LoadBalancerStatus: 'ingress +atomic',
    LocalObjectReference: '@atomic; name +default("")',
    LocalVolumeSource: 'fsType*',
    ModifyVolumeStatus: 'status PersistentVolumeClaimModifyVolumeStatus',
    Namespace: 'spec=; status=',
    NamespaceCondition: 'type NamespaceConditionType; status ConditionStatus; lastTransitionTime=',
    NamespaceSpec: 'finalizers []FinalizerName +atomic',
    NamespaceStatus: 'phase NamespacePhase; conditions +map(type)+merge(type)',
    Node: 'spec=; status=',
    NodeAddress: 'type NodeAddressType',
    NodeAffinity: 'preferredDuringSchedulingIgnoredDuringExecution +atomic',
    NodeAllocatableResourceClaimStatus: 'containers +set; resources map[ResourceName]resource.Quantity',
    NodeCondition: 'type NodeConditionType; status ConditionStatus; lastHeartbeatTime=; lastTransitionTime=',
    NodeDaemonEndpoints: 'kubeletEndpoint=',
    NodeFeatures: 'supplementalGroupsPolicy*',
    NodeRuntimeHandler: 'name!',
    NodeRuntimeHandlerFeatures: 'recursiveReadOnlyMounts*; userNamespaces*',
    NodeSelector: '@atomic; nodeSelectorTerms +atomic',
    NodeSelectorRequirement: 'operator NodeSelectorOperator; values +atomic',
    NodeSelectorTerm: '@atomic; matchExpressions +atomic; matchFields +atomic',
    NodeSpec: 'podCIDRs +set+strategy(merge); taints +atomic',
    NodeStatus: `
      capacity ResourceList; allocatable ResourceList; phase NodePhase; conditions +map(type)+merge(type); addresses +map(type)+merge(type);
      daemonEndpoints=; nodeInfo=; images +atomic; volumesInUse []UniqueVolumeName +atomic; volumesAttached +atomic; runtimeHandlers +atomic;
      declaredFeatures +atomic
    `,
    NodeSwapStatus: 'capacity*',
    ObjectFieldSelector: '@atomic',
    ObjectReference: '@atomic; uid types.UID',
    PersistentVolume: 'spec=; status=',
    PersistentVolumeClaim: 'spec=; status=',
    PersistentVolumeClaimCondition: 'type PersistentVolumeClaimConditionType; status ConditionStatus; lastProbeTime=; lastTransitionTime=',
    PersistentVolumeClaimSpec: `
      accessModes []PersistentVolumeAccessMode +atomic; resources=; storageClassName*; volumeMode* PersistentVolumeMode;
      volumeAttributesClassName*
    `,
    PersistentVolumeClaimStatus: `
      phase PersistentVolumeClaimPhase; accessModes []PersistentVolumeAccessMode +atomic; capacity ResourceList;
      conditions +map(type)+merge(type); allocatedResources ResourceList;
      allocatedResourceStatuses map[ResourceName]ClaimResourceStatus +granularmap; currentVolumeAttributesClassName*
    `,
    PersistentVolumeSpec: `
      capacity ResourceList; accessModes []PersistentVolumeAccessMode +atomic; claimRef +granularmap;
      persistentVolumeReclaimPolicy PersistentVolumeReclaimPolicy; mountOptions +atomic; volumeMode* PersistentVolumeMode;
      volumeAttributesClassName*;
      ^PersistentVolumeSource(gcePersistentDisk awsElasticBlockStore hostPath glusterfs nfs rbd iscsi cinder cephfs fc flocker flexVolume
        azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO local storageos csi)
    `,
    PersistentVolumeStatus: 'phase PersistentVolumePhase',
    Pod: 'spec=; status=',
    PodAffinity: 'requiredDuringSchedulingIgnoredDuringExecution +atomic; preferredDuringSchedulingIgnoredDuringExecution +atomic',
    PodAffinityTerm: 'namespaces +atomic; matchLabelKeys +atomic; mismatchLabelKeys +atomic',
    PodAntiAffinity: 'requiredDuringSchedulingIgnoredDuringExecution +atomic; preferredDuringSchedulingIgnoredDuringExecution +atomic',
    PodCertificateProjection: 'signerName?; keyType?; maxExpirationSeconds*',
    PodCondition: 'type PodConditionType; status ConditionStatus; lastProbeTime=; lastTransitionTime=',
    PodDNSConfig: 'nameservers +atomic; searches +atomic; options +atomic',
    PodDNSConfigOption: 'value*',
    PodExtendedResourceClaimStatus: 'requestMappings +atomic',
    PodOS: 'name OSName',
    PodReadinessGate: 'conditionType PodConditionType',
    PodResourceClaim: 'resourceClaimName*; resourceClaimTemplateName*',
    PodResourceClaimStatus: 'resourceClaimName*',
    PodSchedulingGroup: '@union(; podGroupName=PodGroupName); podGroupName*',
    PodSecurityContext: `
      runAsUser*; runAsGroup*; runAsNonRoot*; supplementalGroups +atomic; supplementalGroupsPolicy* SupplementalGroupsPolicy; fsGroup*;
      sysctls +atomic; fsGroupChangePolicy* PodFSGroupChangePolicy; seLinuxChangePolicy* PodSELinuxChangePolicy
    `,
    PodSpec: `
      volumes +map(name)+merge(name)+strategy(merge,retainKeys); initContainers +map(name)+merge(name); containers +map(name)+merge(name);
      ephemeralContainers +map(name)+merge(name); restartPolicy RestartPolicy; terminationGracePeriodSeconds*; activeDeadlineSeconds*;
      dnsPolicy DNSPolicy; nodeSelector +atomicmap; automountServiceAccountToken*; shareProcessNamespace*;
      imagePullSecrets +map(name)+merge(name); tolerations +atomic; hostAliases +map(ip)+merge(ip); priority*; readinessGates +atomic;
      runtimeClassName*; enableServiceLinks*; preemptionPolicy* PreemptionPolicy; overhead ResourceList;
      topologySpreadConstraints +map(topologyKey,whenUnsatisfiable)+merge(topologyKey); setHostnameAsFQDN*; hostUsers*;
      schedulingGates +map(name)+merge(name); resourceClaims +map(name)+merge(name)+strategy(merge,retainKeys); hostnameOverride*
    `,
    PodStatus: `
      phase PodPhase; conditions +map(type)+merge(type); hostIPs +atomic+merge(ip); podIPs +map(ip)+merge(ip); initContainerStatuses +atomic;
      containerStatuses +atomic; qosClass PodQOSClass; ephemeralContainerStatuses +atomic; resize PodResizeStatus;
      resourceClaimStatuses +map(name)+merge(name)+strategy(merge,retainKeys); allocatedResources ResourceList;
      nodeAllocatableResourceClaimStatuses +atomic
    `,
    PodTemplate: 'template=',
    PodTemplateSpec: 'spec=',
    PortStatus: 'protocol Protocol; error*',
    Probe: 'terminationGracePeriodSeconds*; ^ProbeHandler(exec httpGet tcpSocket grpc)',
    ProjectedVolumeSource: 'sources! +atomic; defaultMode*',
    RBDPersistentVolumeSource: 'monitors +atomic; pool +default("rbd"); user +default("admin"); keyring +default("/etc/ceph/keyring")',
    RBDVolumeSource: 'monitors +atomic; pool +default("rbd"); user +default("admin"); keyring +default("/etc/ceph/keyring")',
    ReplicationController: 'spec=; status=',
    ReplicationControllerCondition: 'type ReplicationControllerConditionType; status ConditionStatus; lastTransitionTime=',
    ReplicationControllerSpec: 'replicas* +default(1); minReadySeconds +default(0); selector +atomicmap',
    ReplicationControllerStatus: 'conditions +map(type)+merge(type)',
    ResourceFieldSelector: '@atomic; divisor= resource.Quantity',
    ResourceHealth: 'resourceID ResourceID; health ResourceHealthStatus; message*',
    ResourceQuota: 'spec=; status=',
    ResourceQuotaSpec: 'hard ResourceList; scopes []ResourceQuotaScope +atomic',
    ResourceQuotaStatus: 'hard ResourceList; used ResourceList',
    ResourceRequirements: 'limits ResourceList; requests ResourceList; claims +map(name)',
    ResourceStatus: 'name ResourceName; resources +map(resourceID)',
    ScaleIOPersistentVolumeSource: 'secretRef*; storageMode +default("ThinProvisioned"); fsType +default("xfs")',
    ScaleIOVolumeSource: 'secretRef*; storageMode +default("ThinProvisioned"); fsType +default("xfs")',
    ScopeSelector: '@atomic; matchExpressions +atomic',
    ScopedResourceSelectorRequirement: 'scopeName ResourceQuotaScope; operator ScopeSelectorOperator; values +atomic',
    SeccompProfile: '@union(type; localhostProfile=LocalhostProfile); type SeccompProfileType; localhostProfile*',
    Secret: 'immutable*; type SecretType',
    SecretEnvSource: 'name +default(""); optional*; ^LocalObjectReference(name)',
    SecretKeySelector: '@atomic; name +default(""); optional*; ^LocalObjectReference(name)',
    SecretProjection: 'name +default(""); items +atomic; optional*; ^LocalObjectReference(name)',
    SecretReference: '@atomic',
    SecretVolumeSource: 'items +atomic; defaultMode*; optional*',
    SecurityContext: 'privileged*; runAsUser*; runAsGroup*; runAsNonRoot*; readOnlyRootFilesystem*; allowPrivilegeEscalation*; procMount* ProcMountType',
    Service: 'spec=; status=',
    ServiceAccount: 'secrets +map(name)+merge(name); imagePullSecrets +atomic; automountServiceAccountToken*',
    ServiceAccountTokenProjection: 'expirationSeconds*',
    ServicePort: 'protocol Protocol +default("TCP"); appProtocol*; targetPort=',
    ServiceSpec: `
      ports +map(port,protocol)+merge(port); selector +atomicmap; clusterIPs +atomic; type ServiceType; externalIPs +atomic;
      sessionAffinity ServiceAffinity; loadBalancerSourceRanges +atomic; externalTrafficPolicy ServiceExternalTrafficPolicy;
      ipFamilies []IPFamily +atomic; ipFamilyPolicy* IPFamilyPolicy; allocateLoadBalancerNodePorts*; loadBalancerClass*;
      internalTrafficPolicy* ServiceInternalTrafficPolicy; trafficDistribution*
    `,
    ServiceStatus: 'loadBalancer=; conditions +map(type)+merge(type)',
    Taint: 'effect TaintEffect',
    Toleration: 'operator TolerationOperator; effect TaintEffect; tolerationSeconds*',
    TopologySelectorLabelRequirement: 'values +atomic',
    TopologySelectorTerm: '@atomic; matchLabelExpressions +atomic',
    TopologySpreadConstraint: `
      whenUnsatisfiable UnsatisfiableConstraintAction; minDomains*; nodeAffinityPolicy* NodeInclusionPolicy;
      nodeTaintsPolicy* NodeInclusionPolicy; matchLabelKeys +atomic
    `,
    TypedLocalObjectReference: '@atomic; apiGroup*!',
    TypedObjectReference: 'apiGroup*!; namespace*',
    Volume: `
      ^VolumeSource(hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd
        flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image)
    `,
    VolumeMount: 'recursiveReadOnly* RecursiveReadOnlyMode; mountPropagation* MountPropagationMode',
    VolumeMountStatus: 'recursiveReadOnly* RecursiveReadOnlyMode',
    VolumeResourceRequirements: 'limits ResourceList; requests ResourceList',
    WindowsSecurityContextOptions: 'gmsaCredentialSpecName*; gmsaCredentialSpec*; runAsUserName*; hostProcess*',
  },
  enums: {
    AppArmorProfileType: 'Localhost|RuntimeDefault|Unconfined',
    AzureDataDiskCachingMode: 'None|ReadOnly|ReadWrite',
    AzureDataDiskKind: 'Dedicated|Managed|Shared',
    ClaimResourceStatus: 'ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending',
    DNSPolicy: 'ClusterFirst|ClusterFirstWithHostNet|Default|None',
    HostPathType: '""|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket',
    IPFamily: '""|IPv4|IPv6',
    IPFamilyPolicy: 'PreferDualStack|RequireDualStack|SingleStack',
    MountPropagationMode: 'Bidirectional|HostToContainer|None',
    NamespacePhase: 'Active|Terminating',
    NodeInclusionPolicy: 'Honor|Ignore',
    NodePhase: 'Pending|Running|Terminated',
    NodeSelectorOperator: 'DoesNotExist|Exists|Gt|In|Lt|NotIn',
    PersistentVolumeAccessMode: 'ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod',
    PersistentVolumeClaimModifyVolumeStatus: 'InProgress|Infeasible|Pending',
    PersistentVolumeClaimPhase: 'Bound|Lost|Pending',
    PersistentVolumeMode: 'Block|Filesystem',
    PersistentVolumePhase: 'Available|Bound|Failed|Pending|Released',
    PersistentVolumeReclaimPolicy: 'Delete|Recycle|Retain',
    PodFSGroupChangePolicy: 'Always|OnRootMismatch',
    PodPhase: 'Failed|Pending|Running|Succeeded|Unknown',
    PodQOSClass: 'BestEffort|Burstable|Guaranteed',
    PreemptionPolicy: 'Never|PreemptLowerPriority',
    ProcMountType: 'Default|Unmasked',
    Protocol: 'SCTP|TCP|UDP',
    PullPolicy: 'Always|IfNotPresent|Never',
    ResourceQuotaScope: 'BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass',
    RestartPolicy: 'Always|Never|OnFailure',
    ScopeSelectorOperator: 'DoesNotExist|Exists|In|NotIn',
    SeccompProfileType: 'Localhost|RuntimeDefault|Unconfined',
    ServiceAffinity: 'ClientIP|None',
    ServiceExternalTrafficPolicy: 'Cluster|Local',
    ServiceInternalTrafficPolicy: 'Cluster|Local',
    ServiceType: 'ClusterIP|ExternalName|LoadBalancer|NodePort',
    Signal:
      'SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|' +
      'SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|' +
      'SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|' +
      'SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|' +
      'SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ',
    SupplementalGroupsPolicy: 'Merge|Strict',
    TaintEffect: 'NoExecute|NoSchedule|PreferNoSchedule',
    TerminationMessagePolicy: 'FallbackToLogsOnError|File',
    TolerationOperator: 'Equal|Exists|Gt|Lt',
    URIScheme: 'HTTP|HTTPS',
    UnsatisfiableConstraintAction: 'DoNotSchedule|ScheduleAnyway',
  },
};
