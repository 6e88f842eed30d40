// Texts of the fields that hold objects. The client says nothing of them, only of the objects' types; these sentences are our own.

/** By field, in whatever type; a name of a type before the field says more of that type's. */
const TEXTS = `
acceptedNames: The names that are in use, which can be others than those asked for.
active: The configuration that the node runs with.
affinity: Which nodes, and which other pods' neighbourhood, suit the pod.
aggregationRule: Selects the roles whose rules make up this one's.
allocatable: What volumes of the driver the node can take.
allocation: What was allocated for the claim; absent until it was.
appArmorProfile: The AppArmor profile that processes are confined by.
applyConfiguration: Makes the change as an apply of what an expression yields.
assigned: The configuration that the node is to run with.
attachError: The last failure to attach.
awsElasticBlockStore: An AWS disk.
azureDisk: An Azure data disk.
azureFile: An Azure file share.
backend: Where requests of the path go.
behavior: How fast, and how eagerly, the number of pods goes up and down.
boundObjectRef: The object whose end is the token's end, too.
capabilities: Capabilities that are added to, or taken from, the runtime's default ones.
capacity: How much of the device's capacity is needed.
cel: Selects by an expression.
cephfs: A CephFS mount.
cinder: An OpenStack disk.
claimRef: The claim that the volume is bound to, or kept for.
clientConfig: How the webhook is reached.
clientIP: Settings of affinity by the client's address.
clusterTrustBundle: Certificates of trust bundles, as a file.
conditions: What state the endpoint is in.
config: Which configuration the node runs with, and is to run with.
configMap: A config map's keys as files.
NodeConfigSource.configMap: The config map that holds the configuration.
configMapKeyRef: A key of a config map.
configMapRef: The config map whose keys become variables.
configSource: Where the node's configuration comes from; no longer used.
containerResource: A resource as one container of each pod uses it.
controllerExpandSecretRef: The secret for growing the volume at the controller.
controllerPublishSecretRef: The secret for attaching and detaching the volume.
conversion: How objects are converted between the versions.
csi: A volume of a CSI driver.
current: The value as it was last measured.
daemonEndpoints: The ports that the node's daemons listen at.
dataSource: What the new volume is filled from.
dataSourceRef: What the new volume is filled from; other kinds and namespaces are possible here.
defaultBackend: Where requests go that no rule is for.
deleteOptions: Options of the deletion that the eviction is.
deprecatedSource: Who reported the event, in the form of the core group's events.
describedObject: The object whose metric it is.
detachError: The last failure to detach.
details: More about what happened, as far as it is known; which details there are depends on the reason.
devices: The devices that are asked for.
AllocationResult.devices: The devices that were allocated.
distinguisherMethod: How the requests are told apart into flows; absent: they are one flow.
dnsConfig: DNS settings that are merged with those of the policy.
downwardAPI: Fields of the pod as files.
emptyDir: An empty directory that lives as long as the pod.
ephemeral: A volume whose claim is made for the pod, and goes with it.
exactly: One kind of device that is asked for.
exec: A command that runs in the container.
exempt: Settings of a level whose requests never wait.
exitCodes: Which exit codes the rule is for.
extendedResourceClaimStatus: The claim that was made for the extended resources of the pod.
external: A metric of something outside the cluster.
fc: A Fibre Channel disk.
features: What the node supports.
NodeRuntimeHandler.features: What the handler supports.
fieldRef: A field of the pod.
fieldSelector: The field selector of the request.
fileKeyRef: A key of a file of variables in a volume.
flexVolume: A volume of an exec-based plugin.
flocker: A Flocker dataset.
gcePersistentDisk: A Google persistent disk.
gitRepo: A Git repository's content.
glusterfs: A GlusterFS mount.
group: The group that is meant, when the subject is one.
grpc: A call of the gRPC health service.
hints: Which consumers the endpoint is best for.
hostPath: A file or directory of the node.
httpGet: An HTTP GET request.
image: An image's files.
VolumeStatus.image: What is known of the image volume.
inlineVolumeSpec: The volume itself, where no persistent volume stands for it.
involvedObject: The object that the event is about.
ipBlock: A range of addresses; excludes both selectors.
iscsi: An iSCSI disk.
jobTemplate: What the jobs are made from.
jsonPatch: Makes the change as a JSON patch that an expression yields.
kubeletEndpoint: The port of the kubelet.
labelSelector: Selects the pods by their labels.
ResourceAttributes.labelSelector: The label selector of the request.
ClusterTrustBundleProjection.labelSelector: Selects the trust bundles of the signer by their labels.
lastKnownGood: The configuration that the node falls back to.
lastState: The state of the run before this one.
lifecycle: What is done after the start and before the stop.
limitResponse: What happens to requests above the limit.
limited: Settings of a level whose requests may have to wait.
linux: The identity of the first process, on Linux.
livenessProbe: The check whose failure restarts the container.
loadBalancer: What is known of the load balancer.
local: A disk that is attached to one node.
matchConstraints: Which requests the policy is for.
matchResources: Which of the policy's requests the binding is for.
metadata: The object's name, namespace, labels and what else all objects have.
metric: The metric, by its name and selector.
modifyVolumeStatus: How far a change of the volume's attributes class is.
namespaceSelector: Selects namespaces by their labels.
names: The names of the resource and its kind.
networkData: Addresses and the like of a network device.
nfs: An NFS mount.
nodeAffinity: Which nodes suit, by their labels.
PersistentVolumeSpec.nodeAffinity: From which nodes the volume can be reached.
nodeExpandSecretRef: The secret for growing the volume at the node.
nodeInfo: Identifiers and versions of the node's software.
nodePublishSecretRef: The secret for mounting the volume for a pod.
nodeSelector: Which nodes it can be used from.
nodeStageSecretRef: The secret for mounting the volume at the node.
nodeTopology: The nodes that the capacity is for.
nonResourceAttributes: The request, if it is for a path that is no resource.
object: A metric of one object.
objectSelector: Selects objects by their labels.
onExitCodes: Which exit codes the rule is for.
opaque: Parameters that the named driver understands.
openAPIV3Schema: The schema of the version's objects.
ordinals: How the pods are numbered.
os: The operating system of the pod's containers.
overhead: What a pod of the class needs beside its containers.
paramKind: The kind of the policy's parameters; absent: it has none.
paramRef: The objects that hold the parameters.
parameters: More settings, for the controller.
parentRef: The object that the address belongs to.
persistentVolumeClaim: A volume by its claim, in the pod's namespace.
persistentVolumeClaimRetentionPolicy: When claims that were made for the pods are deleted.
photonPersistentDisk: A Photon disk.
podAffinity: Which pods the pod belongs near to.
podAffinityTerm: The term that has the weight.
podAntiAffinity: Which pods the pod has to keep away from.
podCertificate: A key and a certificate that are made for the pod, as files.
podFailurePolicy: What a failed pod means for the job.
podSelector: Selects pods by their labels.
pods: A metric of each pod, averaged.
pool: The pool that the devices belong to.
port: The service's port.
portworxVolume: A Portworx volume.
postStart: What is done right after the start; a failure ends the container.
preStop: What is done before the container is told to stop.
preconditions: What must be true of the object for it to be deleted.
preference: The nodes that have the weight.
preferredVersion: The version that clients do best to use.
priorityLevelConfiguration: The priority level of the requests.
projected: Several sources in one directory.
queuing: How requests wait for their turn; for the type Queue.
quobyte: A Quobyte mount.
rbd: A Ceph block device.
readinessProbe: The check that decides whether the container gets requests.
regarding: The object that the event is about.
related: Another object that has to do with the event.
requestPolicy: How much of the capacity a request can have.
required: What a node must fulfil.
requiredDuringSchedulingIgnoredDuringExecution: What a node must fulfil for the pod to be put there.
resource: An object of another kind, in the ingress' namespace; excludes a service.
MetricSpec.resource: A resource as the pods use it, averaged.
MetricStatus.resource: A resource as the pods use it, averaged.
resourceAttributes: The request, if it is for a resource.
resourceFieldRef: A resource limit or request of a container.
resources: What is needed of resources, and the most that can be had.
ContainerStatus.resources: The requests and limits that the running container has.
roleRef: The role that is granted; never changes.
rollingUpdate: Settings of a rolling update; for the type RollingUpdate.
running: Since when the container runs.
scale: The scale subresource's settings; absent: there is none.
scaleDown: How the number of pods goes down.
scaleIO: A ScaleIO volume.
scaleTargetRef: The object whose scale is changed.
scaleUp: How the number of pods goes up.
scheduling: Where pods of the class can run; absent: on all nodes.
schedulingGroup: The group of pods that the pod is scheduled with.
schema: What objects of the version look like.
scopeSelector: Selects, by their scopes, which objects count.
seLinuxOptions: The SELinux context of the processes.
seccompProfile: The seccomp profile of the processes.
secret: A secret's keys as files.
secretKeyRef: A key of a secret.
secretRef: The secret that holds what is needed to log in.
EnvFromSource.secretRef: The secret whose keys become variables.
securityContext: Settings of security.
Container.securityContext: Settings of the container's security; they go before the pod's.
PodSpec.securityContext: Settings of security for the pod and all of its containers.
selector: Selects by labels.
series: How often the event was repeated, and when last.
service: The service that answers.
serviceAccount: The service account that is meant, when the subject is one.
serviceAccountToken: A token of the pod's service account, as a file.
sessionAffinityConfig: Settings of session affinity.
shardInfo: Which part of the collection the list is.
sleep: A pause.
source: Who reported the event.
VolumeAttachmentSpec.source: The volume that is to be attached.
spec: What is desired, as whoever makes the object writes it.
startupProbe: The check that has to succeed before the others begin.
state: What the container does now.
status: What was last observed of it; whoever manages it writes this.
storageos: A StorageOS volume.
strategy: How pods are replaced by new ones.
subresources: The subresources that objects of the version have.
successPolicy: When the job counts as done before all of its pods are.
swap: What is known of the node's swap space.
target: What the metric is to be.
Binding.target: The node that the object is bound to.
targetRef: The object that the endpoint stands for.
tcpSocket: The opening of a TCP connection.
template: What new pods are made from.
terminated: How and when the container ended.
typeChecking: What checking the types of the expressions brought to light.
uncountedTerminatedPods: Pods that ended, but are not counted yet.
updateStrategy: How pods are replaced by new ones.
user: The user that is meant, when the subject is one.
ContainerStatus.user: The identity of the container's first process.
TokenReviewStatus.user: Who the token belongs to.
userInfo: Who made the request.
validRange: The amounts that a request can have.
valueFrom: Where the value comes from; excludes a value.
volumeClaimTemplate: What the claim is made from.
volumeStatus: What is known of the mounted volume.
vsphereVolume: A vSphere disk.
waiting: Why the container does not run yet.
webhook: The webhook that converts; for the strategy Webhook.
windowsOptions: Settings that only Windows has.
`;
/** Of these nothing is said upstream either. */
const WITHOUT = new Set(['JSONSchemaProps.externalDocs', 'JSONSchemaProps.not', 'IngressRule.http', 'CertificateSigningRequest.metadata', 'CertificateSigningRequestList.metadata']);

const texts = new Map(TEXTS.trim().split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));

/** What is said of a field that holds an object of the type `held`; throws where the table has no text. */
export function fieldText(owner, field, held) {
  if (WITHOUT.has(`${owner}.${field}`)) return '';
  const text = held === 'ListMeta' ? 'What is said of the list as a whole.' : (texts.get(`${owner}.${field}`) ?? texts.get(field));
  if (text === undefined) throw new Error(`scripts/generate/field-texts.mjs says nothing of ${owner}.${field}`);
  return text;
}
