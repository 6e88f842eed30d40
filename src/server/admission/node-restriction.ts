import type { V1CertificateSigningRequest, V1Node, V1PersistentVolumeClaim, V1Pod, V1ResourceSlice, AuthenticationV1TokenRequest } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { CSI_DRIVERS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../api/resource-refs.js';
import { notFoundError } from '../../api/status-error.js';
import { parseCsr } from '../../base/tls/csr.js';
import { NODE_USER_PREFIX, NODES as NODES_GROUP } from '../authn/users.js';
import type { ServerContext } from '../server-context.js';
import { apiReferenceOf, forbiddenNodeLabels, modifiedLabels } from './node-restriction-rules.js';
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.js';
import { refusal } from './refuse.js';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const NODE_SIGNERS = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

/** Under these names upstream's plugin misses objects. */
const POD = { group: '', resource: 'pod' };
const NODE = { group: '', resource: 'node' };

/** Node agents change their own node, lease, pods and nothing else. */
export class NodeRestriction implements AdmissionPlugin {
  readonly name = 'NodeRestriction';

  constructor(private readonly context: ServerContext) {}

  handles(): boolean {
    return true;
  }

  admit(a: AdmissionAttributes): void | Promise<void> {
    const user = a.user;
    if (!user.name.startsWith(NODE_USER_PREFIX) || !user.groups.includes(NODES_GROUP)) return;
    const node = user.name.slice(NODE_USER_PREFIX.length);
    if (node === '') throw refusal(a, `could not determine node from user ${JSON.stringify(user.name)}`);
    switch (`${a.resource.group}/${a.resource.resource}`) {
      case '/pods':
        return this.pod(a, node);
      case '/nodes':
        return admitNode(a, node);
      case '/persistentvolumeclaims':
        return admitClaimStatus(a, node);
      case '/serviceaccounts':
        return a.operation === 'CREATE' && a.subresource === 'token' ? this.token(a, node) : undefined;
      case 'coordination.k8s.io/leases':
        return admitLease(a, node);
      case 'storage.k8s.io/csinodes':
        return requireOwnName(a, node, 'can only access CSINode with the same name as the requesting node');
      case 'resource.k8s.io/resourceslices':
        return admitSlice(a, node);
      case 'certificates.k8s.io/certificatesigningrequests':
        return admitCsr(a, node);
    }
  }

  private pod(a: AdmissionAttributes, node: string): void {
    const existing = (name: string): V1Pod => {
      const pod = this.context.view.get(PODS, a.namespace, name);
      if (!pod) throw notFoundError(POD, name);
      return pod;
    };
    const quoted = JSON.stringify(node);
    if (a.subresource === 'status') return admitPodStatus(a, node);
    if (a.subresource === 'eviction') {
      if (a.operation !== 'CREATE') throw refusal(a, `unexpected operation ${a.operation}`);
      if (existing(a.name || (a.object?.metadata?.name ?? '')).spec?.nodeName !== node) throw refusal(a, `node ${node} can only evict pods with spec.nodeName set to itself`);
      return;
    }
    if (a.subresource !== '') throw refusal(a, `unexpected pod subresource ${JSON.stringify(a.subresource)}, only 'status' and 'eviction' are allowed`);
    if (a.operation === 'CREATE') return this.createPod(a, node);
    if (a.operation !== 'DELETE') throw refusal(a, `unexpected operation ${JSON.stringify(a.operation)}, node ${quoted} can only create and delete mirror pods`);
    if (existing(a.name).spec?.nodeName !== node) throw refusal(a, `node ${quoted} can only delete pods with spec.nodeName set to itself`);
  }

  private createPod(a: AdmissionAttributes, node: string): void {
    const pod = a.object as V1Pod;
    const quoted = JSON.stringify(node);
    if (pod.metadata?.annotations?.[MIRROR_ANNOTATION] === undefined) {
      throw refusal(a, `pod does not have ${JSON.stringify(MIRROR_ANNOTATION)} annotation, node ${quoted} can only create mirror pods`);
    }
    if (pod.spec?.nodeName !== node) throw refusal(a, `node ${quoted} can only create pods with spec.nodeName set to itself`);
    const owners = pod.metadata.ownerReferences ?? [];
    if (owners.length > 1) throw refusal(a, `node ${quoted} can only create pods with a single owner reference set to itself`);
    const owner = owners[0];
    if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) throw refusal(a, `node ${quoted} can only create pods with an owner reference set to itself`);
    if (!owner.controller) throw refusal(a, `node ${quoted} can only create pods with a controller owner reference set to itself`);
    if (owner.blockOwnerDeletion) throw refusal(a, `node ${quoted} must not set blockOwnerDeletion on an owner reference`);
    const object = this.context.view.get(NODES, '', node);
    if (!object) throw notFoundError(NODE, node);
    if (owner.uid !== object.metadata?.uid) throw refusal(a, `node ${node} UID mismatch: expected ${owner.uid} got ${object.metadata?.uid}`);
    const reference = apiReferenceOf(pod);
    if (reference !== undefined) throw refusal(a, `node ${quoted} can not create pods that reference ${reference}`);
  }

  private async token(a: AdmissionAttributes, node: string): Promise<void> {
    const spec = (a.object as AuthenticationV1TokenRequest).spec;
    const reference = spec?.boundObjectRef;
    if (reference?.apiVersion !== 'v1' || reference.kind !== 'Pod' || !reference.name) throw refusal(a, 'node requested token not bound to a pod');
    if (!reference.uid) throw refusal(a, 'node requested token with a pod binding without a uid');
    const pod = this.context.view.get(PODS, a.namespace, reference.name);
    if (!pod) throw notFoundError(POD, reference.name);
    if (reference.uid !== pod.metadata?.uid) {
      throw refusal(a, `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`);
    }
    if (pod.spec?.nodeName !== node) throw refusal(a, 'node requested token bound to a pod scheduled on a different node');
    await this.audience(a, pod, spec?.audiences ?? []);
  }

  /** Audiences that the pod's volumes ask for, or that the node may ask for by a permission of its own. */
  private async audience(a: AdmissionAttributes, pod: V1Pod, audiences: readonly string[]): Promise<void> {
    if (audiences.length > 1) throw refusal(a, 'node may only request 0 or 1 audiences');
    const audience = audiences[0] ?? '';
    if (this.podUsesAudience(pod, audience)) return;
    const { decision } = await this.context.authorize({
      user: a.user, verb: 'request-serviceaccounts-token-audience', isResourceRequest: true, namespace: a.namespace,
      group: '', version: 'v1', resource: audience, subresource: '', name: a.name, path: '',
    });
    if (decision !== 'allow') throw refusal(a, `audience ${JSON.stringify(audience)} not found in pod spec volume, ${a.user.name} is not authorized to request tokens for this audience`);
  }

  private podUsesAudience(pod: V1Pod, audience: string): boolean {
    const { view } = this.context;
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const driverOf = (claim: string): string | undefined => {
      const volume = view.get(PERSISTENT_VOLUME_CLAIMS, namespace, claim)?.spec?.volumeName;
      return volume === undefined ? undefined : view.get(PERSISTENT_VOLUMES, '', volume)?.spec?.csi?.driver;
    };
    return (pod.spec?.volumes ?? []).some((volume) => {
      if (volume.projected?.sources?.some((source) => source.serviceAccountToken && (source.serviceAccountToken.audience ?? '') === audience)) return true;
      const claim = volume.ephemeral ? `${name}-${volume.name}` : volume.persistentVolumeClaim?.claimName;
      const driver = claim === undefined ? volume.csi?.driver : driverOf(claim);
      return driver !== undefined && (view.get(CSI_DRIVERS, '', driver)?.spec.tokenRequests ?? []).some((request) => request.audience === audience);
    });
  }
}

function admitPodStatus(a: AdmissionAttributes, node: string): void {
  if (a.operation !== 'UPDATE') throw refusal(a, `unexpected operation ${JSON.stringify(a.operation)}`);
  const before = a.oldObject as V1Pod;
  const after = a.object as V1Pod;
  const quoted = JSON.stringify(node);
  if (before.spec?.nodeName !== node) throw refusal(a, `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`);
  if (!deepEqual(before.metadata?.labels, after.metadata?.labels)) throw refusal(a, `node ${quoted} cannot update labels through pod status`);
  if (!deepEqual(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses)) throw refusal(a, `node ${quoted} cannot update resource claim statues`);
  if (!deepEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus)) {
    throw refusal(a, `node ${quoted} cannot update extended resource claim status`);
  }
}

function admitNode(a: AdmissionAttributes, node: string): void {
  const requested = a.name || (a.object?.metadata?.name ?? '');
  const quoted = JSON.stringify(node);
  if (requested !== node) throw refusal(a, `node ${quoted} is not allowed to modify node ${JSON.stringify(requested)}`);
  if (a.operation !== 'CREATE' && a.operation !== 'UPDATE') return;
  const after = a.object as V1Node;
  const before = a.operation === 'UPDATE' ? (a.oldObject as V1Node) : undefined;
  if (!before && after.spec?.configSource) throw refusal(a, `node ${quoted} is not allowed to create pods with a non-nil configSource`);
  if (before) {
    if (after.spec?.configSource && !deepEqual(after.spec.configSource, before.spec?.configSource)) {
      throw refusal(a, `node ${quoted} is not allowed to update configSource to a new non-nil configSource`);
    }
    if (!deepEqual(after.spec?.taints, before.spec?.taints)) throw refusal(a, `node ${quoted} is not allowed to modify taints`);
    if (!deepEqual(after.metadata?.ownerReferences, before.metadata?.ownerReferences)) throw refusal(a, `node ${quoted} is not allowed to modify ownerReferences`);
  }
  const labels = forbiddenNodeLabels(modifiedLabels(after.metadata?.labels, before?.metadata?.labels));
  if (labels.length === 0) return;
  throw refusal(a, before ? `is not allowed to modify labels: ${labels.join(', ')}` : `node ${quoted} is not allowed to set the following labels: ${labels.join(', ')}`);
}

/** Of a claim a node changes the status alone, and there the size and the conditions. */
function admitClaimStatus(a: AdmissionAttributes, node: string): void {
  if (a.subresource !== 'status') throw refusal(a, 'may only update PVC status');
  if (a.operation !== 'UPDATE') throw refusal(a, `unexpected operation ${JSON.stringify(a.operation)}`);
  const rest = (claim: V1PersistentVolumeClaim): unknown => {
    const { capacity: _capacity, conditions: _conditions, allocatedResourceStatuses: _statuses, allocatedResources: _resources, ...status } = claim.status ?? {};
    const { resourceVersion: _version, managedFields: _fields, ...metadata } = claim.metadata ?? {};
    return { ...claim, metadata, status };
  };
  if (!deepEqual(rest(a.oldObject as V1PersistentVolumeClaim), rest(a.object as V1PersistentVolumeClaim))) {
    throw refusal(a, `node ${JSON.stringify(node)} is not allowed to update fields other than status.quantity and status.conditions`);
  }
}

function requireOwnName(a: AdmissionAttributes, node: string, why: string): void {
  if ((a.operation === 'CREATE' ? a.object?.metadata?.name : a.name) !== node) throw refusal(a, why);
}

function admitLease(a: AdmissionAttributes, node: string): void {
  if (a.namespace !== 'kube-node-lease') throw refusal(a, 'can only access leases in the "kube-node-lease" system namespace');
  requireOwnName(a, node, 'can only access node lease with the same name as the requesting node');
}

function admitSlice(a: AdmissionAttributes, node: string): void {
  const object = a.operation === 'CREATE' ? a.object : a.operation === 'DELETE' ? a.oldObject : undefined;
  if (!object || (object as V1ResourceSlice).spec.nodeName === node) return;
  throw refusal(a, `can only ${a.operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`);
}

function admitCsr(a: AdmissionAttributes, node: string): void {
  if (a.operation !== 'CREATE') return;
  const { signerName, request } = (a.object as V1CertificateSigningRequest).spec;
  if (!NODE_SIGNERS.includes(signerName)) return;
  let commonName: string;
  try {
    commonName = parseCsr(Buffer.from(request, 'base64').toString('utf8')).commonName;
  } catch (error) {
    throw refusal(a, `unable to parse csr: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (commonName !== NODE_USER_PREFIX + node) throw refusal(a, `can only create a node CSR with CN=${NODE_USER_PREFIX}${node}`);
}
