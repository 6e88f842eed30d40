/** The structs of a pod's spec in upstream's internal form, in the notation of `go-form.ts`. */
export const POD_STRUCTS: Readonly<Record<string, string>> = {
  PodSpec:
    'Volumes:[Volume InitContainers:[Container Containers:[Container EphemeralContainers:[EphemeralContainer RestartPolicy:s ' +
    'TerminationGracePeriodSeconds:p ActiveDeadlineSeconds:p DNSPolicy:s NodeSelector:{ ServiceAccountName:s AutomountServiceAccountToken:p NodeName:s ' +
    'SecurityContext:*PodSecurityContext ImagePullSecrets:[LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:p Affinity:*Affinity ' +
    'SchedulerName:s Tolerations:[Toleration HostAliases:[HostAlias PriorityClassName:s Priority:p PreemptionPolicy:p DNSConfig:*PodDNSConfig ' +
    'ReadinessGates:[PodReadinessGate RuntimeClassName:p Overhead:{ EnableServiceLinks:p TopologySpreadConstraints:[TopologySpreadConstraint OS:*PodOS ' +
    'SchedulingGates:[PodSchedulingGate ResourceClaims:[PodResourceClaim Resources:*ResourceRequirements HostnameOverride:p ' +
    'SchedulingGroup:*PodSchedulingGroup',
  EphemeralContainer:
    'Name:s Image:s Command:[ Args:[ WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ' +
    'ResizePolicy:[ContainerResizePolicy RestartPolicy:p RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice ' +
    'LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ' +
    'ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b TargetContainerName:s',
  Volume:
    'Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk:*GCEPersistentDiskVolumeSource ' +
    'AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource ' +
    'ISCSI:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource ' +
    'Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource ' +
    'DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource ' +
    'VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource ' +
    'Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource ' +
    'CSI:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource',
  Container:
    'Name:s Image:s Command:[ Args:[ WorkingDir:s Ports:[ContainerPort EnvFrom:[EnvFromSource Env:[EnvVar Resources:ResourceRequirements ' +
    'ResizePolicy:[ContainerResizePolicy RestartPolicy:p RestartPolicyRules:[ContainerRestartRule VolumeMounts:[VolumeMount VolumeDevices:[VolumeDevice ' +
    'LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ' +
    'ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b',
  PodSecurityContext:
    'HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:p HostUsers:p SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions ' +
    'RunAsUser:p RunAsGroup:p RunAsNonRoot:p SupplementalGroups:[ SupplementalGroupsPolicy:p FSGroup:p FSGroupChangePolicy:p Sysctls:[Sysctl ' +
    'SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:p',
  LocalObjectReference: 'Name:s',
  Affinity: 'NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity',
  Toleration: 'Key:s Operator:s Value:s Effect:s TolerationSeconds:p',
  HostAlias: 'IP:s Hostnames:[',
  PodDNSConfig: 'Nameservers:[ Searches:[ Options:[PodDNSConfigOption',
  PodReadinessGate: 'ConditionType:s',
  TopologySpreadConstraint: 'MaxSkew:i TopologyKey:s WhenUnsatisfiable:s LabelSelector:*LabelSelector MinDomains:p NodeAffinityPolicy:p NodeTaintsPolicy:p MatchLabelKeys:[',
  PodOS: 'Name:s',
  PodSchedulingGate: 'Name:s',
  PodResourceClaim: 'Name:s ResourceClaimName:p ResourceClaimTemplateName:p',
  ResourceRequirements: 'Limits:{ Requests:{ Claims:[ResourceClaim',
  PodSchedulingGroup: 'PodGroupName:p',
  ContainerPort: 'Name:s HostPort:i ContainerPort:i Protocol:s HostIP:s',
  EnvFromSource: 'Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource',
  EnvVar: 'Name:s Value:s ValueFrom:*EnvVarSource',
  ContainerResizePolicy: 'ResourceName:s RestartPolicy:s',
  ContainerRestartRule: 'Action:s ExitCodes:*ContainerRestartRuleOnExitCodes',
  VolumeMount: 'Name:s ReadOnly:b RecursiveReadOnly:p MountPath:s SubPath:s MountPropagation:p SubPathExpr:s',
  VolumeDevice: 'Name:s DevicePath:s',
  Probe:
    'Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction InitialDelaySeconds:i TimeoutSeconds:i PeriodSeconds:i ' +
    'SuccessThreshold:i FailureThreshold:i TerminationGracePeriodSeconds:p',
  Lifecycle: 'PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:p',
  SecurityContext:
    'Capabilities:*Capabilities Privileged:p SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:p RunAsGroup:p ' +
    'RunAsNonRoot:p ReadOnlyRootFilesystem:p AllowPrivilegeEscalation:p ProcMount:p SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile',
  HostPathVolumeSource: 'Path:s Type:p',
  EmptyDirVolumeSource: 'Medium:s SizeLimit:p',
  GCEPersistentDiskVolumeSource: 'PDName:s FSType:s Partition:i ReadOnly:b',
  AWSElasticBlockStoreVolumeSource: 'VolumeID:s FSType:s Partition:i ReadOnly:b',
  GitRepoVolumeSource: 'Repository:s Revision:s Directory:s',
  SecretVolumeSource: 'SecretName:s Items:[KeyToPath DefaultMode:p Optional:p',
  NFSVolumeSource: 'Server:s Path:s ReadOnly:b',
  ISCSIVolumeSource:
    'TargetPortal:s IQN:s Lun:i ISCSIInterface:s FSType:s ReadOnly:b Portals:[ DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b ' +
    'SecretRef:*LocalObjectReference InitiatorName:p',
  GlusterfsVolumeSource: 'EndpointsName=endpoints:s Path:s ReadOnly:b',
  PersistentVolumeClaimVolumeSource: 'ClaimName:s ReadOnly:b',
  RBDVolumeSource: 'CephMonitors=monitors:[ RBDImage=image:s FSType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b',
  QuobyteVolumeSource: 'Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s',
  FlexVolumeSource: 'Driver:s FSType:s SecretRef:*LocalObjectReference ReadOnly:b Options:{',
  CinderVolumeSource: 'VolumeID:s FSType:s ReadOnly:b SecretRef:*LocalObjectReference',
  CephFSVolumeSource: 'Monitors:[ Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b',
  FlockerVolumeSource: 'DatasetName:s DatasetUUID:s',
  DownwardAPIVolumeSource: 'Items:[DownwardAPIVolumeFile DefaultMode:p',
  FCVolumeSource: 'TargetWWNs:[ Lun:p FSType:s ReadOnly:b WWIDs=wwids:[',
  AzureFileVolumeSource: 'SecretName:s ShareName:s ReadOnly:b',
  ConfigMapVolumeSource: 'Name:s Items:[KeyToPath DefaultMode:p Optional:p',
  VsphereVirtualDiskVolumeSource: 'VolumePath:s FSType:s StoragePolicyName:s StoragePolicyID:s',
  AzureDiskVolumeSource: 'DiskName:s DataDiskURI=diskURI:s CachingMode:p FSType:p ReadOnly:p Kind:p',
  PhotonPersistentDiskVolumeSource: 'PdID:s FSType:s',
  ProjectedVolumeSource: 'Sources:[VolumeProjection DefaultMode:p',
  PortworxVolumeSource: 'VolumeID:s FSType:s ReadOnly:b',
  ScaleIOVolumeSource: 'Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType:s ReadOnly:b',
  StorageOSVolumeSource: 'VolumeName:s VolumeNamespace:s FSType:s ReadOnly:b SecretRef:*LocalObjectReference',
  CSIVolumeSource: 'Driver:s ReadOnly:p FSType:p VolumeAttributes:{ NodePublishSecretRef:*LocalObjectReference',
  EphemeralVolumeSource: 'VolumeClaimTemplate:*PersistentVolumeClaimTemplate',
  ImageVolumeSource: 'Reference:s PullPolicy:s',
  SELinuxOptions: 'User:s Role:s Type:s Level:s',
  WindowsSecurityContextOptions: 'GMSACredentialSpecName:p GMSACredentialSpec:p RunAsUserName:p HostProcess:p',
  Sysctl: 'Name:s Value:s',
  SeccompProfile: 'Type:s LocalhostProfile:p',
  AppArmorProfile: 'Type:s LocalhostProfile:p',
  NodeAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm',
  PodAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm',
  PodAntiAffinity: 'RequiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm',
  PodDNSConfigOption: 'Name:s Value:p',
  ResourceClaim: 'Name:s Request:s',
  ConfigMapEnvSource: 'Name:s Optional:p',
  SecretEnvSource: 'Name:s Optional:p',
  EnvVarSource:
    'FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector ' +
    'FileKeyRef:*FileKeySelector',
  ContainerRestartRuleOnExitCodes: 'Operator:s Values:[',
  ExecAction: 'Command:[',
  HTTPGetAction: 'Path:s Port:i Host:s Scheme:s HTTPHeaders:[HTTPHeader',
  TCPSocketAction: 'Port:i Host:s',
  GRPCAction: 'Port:i Service:p',
  LifecycleHandler: 'Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction',
  Capabilities: 'Add:[ Drop:[',
  KeyToPath: 'Key:s Path:s Mode:p',
  DownwardAPIVolumeFile: 'Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:p',
  VolumeProjection:
    'Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ' +
    'ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection',
  PersistentVolumeClaimTemplate: '...=metadata:p Spec:PersistentVolumeClaimSpec',
  PreferredSchedulingTerm: 'Weight:i Preference:NodeSelectorTerm',
  PodAffinityTerm: 'LabelSelector:*LabelSelector Namespaces:[ TopologyKey:s NamespaceSelector:*LabelSelector MatchLabelKeys:[ MismatchLabelKeys:[',
  WeightedPodAffinityTerm: 'Weight:i PodAffinityTerm:PodAffinityTerm',
  ObjectFieldSelector: 'APIVersion:s FieldPath:s',
  ResourceFieldSelector: 'ContainerName:s Resource:s Divisor:p',
  ConfigMapKeySelector: 'Name:s Key:s Optional:p',
  SecretKeySelector: 'Name:s Key:s Optional:p',
  FileKeySelector: 'VolumeName:s Path:s Key:s Optional:p',
  HTTPHeader: 'Name:s Value:s',
  SleepAction: 'Seconds:i',
  SecretProjection: 'Name:s Items:[KeyToPath Optional:p',
  DownwardAPIProjection: 'Items:[DownwardAPIVolumeFile',
  ConfigMapProjection: 'Name:s Items:[KeyToPath Optional:p',
  ServiceAccountTokenProjection: 'Audience:s ExpirationSeconds:i Path:s',
  ClusterTrustBundleProjection: 'Name:p SignerName:p LabelSelector:*LabelSelector Optional:p Path:s',
  PodCertificateProjection: 'SignerName:s KeyType:s MaxExpirationSeconds:p CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:{',
  LabelSelector: '?matchLabels:{ ?matchExpressions:[LabelSelectorRequirement',
  LabelSelectorRequirement: 'key:s operator:s ?values:[',
};
