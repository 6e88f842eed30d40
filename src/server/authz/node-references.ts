import type { V1PersistentVolume, V1Pod, V1PodSpec } from '../../api/generated/types.js';
import type { ViewIndexer } from '../registry/cluster-view.js';

/** Kinds of objects that a node may read because one of its pods needs them. */
export type ReferencedKind = 'pod' | 'secret' | 'configmap' | 'pvc' | 'serviceaccount' | 'resourceclaim';

/** Index value: the pod of a node refers to an object of its namespace. */
export const referenceKey = (node: string, kind: ReferencedKind, namespace: string, name: string): string => `${node} ${kind} ${namespace}/${name}`;

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Pods by everything that their node may read for them. */
export const PODS_BY_NODE_REFERENCE: ViewIndexer<V1Pod> = {
  name: 'node-reference',
  values: (pod) => {
    const node = pod.spec?.nodeName;
    const { namespace = '', name = '', annotations } = pod.metadata ?? {};
    if (!pod.spec || node === undefined || node === '') return [];
    const keys = new Set([referenceKey(node, 'pod', namespace, name)]);
    // A node makes its mirror pods itself and must not gain access by them.
    if (annotations?.[MIRROR_ANNOTATION] !== undefined) return [...keys];
    const add = (kind: ReferencedKind, object: string | undefined): void => {
      if (object !== undefined && object !== '') keys.add(referenceKey(node, kind, namespace, object));
    };
    add('serviceaccount', pod.spec.serviceAccountName);
    addVolumeReferences(pod.spec, name, add);
    addContainerReferences(pod.spec, add);
    for (const secret of pod.spec.imagePullSecrets ?? []) add('secret', secret.name);
    for (const claim of pod.spec.resourceClaims ?? []) {
      add('resourceclaim', claim.resourceClaimName ?? pod.status?.resourceClaimStatuses?.find((status) => status.name === claim.name)?.resourceClaimName);
    }
    add('resourceclaim', pod.status?.extendedResourceClaimStatus?.resourceClaimName);
    return [...keys];
  },
};

type Add = (kind: ReferencedKind, name: string | undefined) => void;

function addVolumeReferences(spec: V1PodSpec, podName: string, add: Add): void {
  for (const volume of spec.volumes ?? []) {
    add('secret', volume.secret?.secretName);
    add('configmap', volume.configMap?.name);
    add('pvc', volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral ? `${podName}-${volume.name}` : undefined));
    for (const source of volume.projected?.sources ?? []) {
      add('secret', source.secret?.name);
      add('configmap', source.configMap?.name);
    }
    for (const holder of [volume.cephfs, volume.cinder, volume.flexVolume, volume.rbd, volume.scaleIO, volume.iscsi, volume.storageos]) {
      add('secret', holder?.secretRef?.name);
    }
    add('secret', volume.csi?.nodePublishSecretRef?.name);
    add('secret', volume.azureFile?.secretName);
  }
}

function addContainerReferences(spec: V1PodSpec, add: Add): void {
  for (const container of [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])]) {
    for (const source of container.envFrom ?? []) {
      add('secret', source.secretRef?.name);
      add('configmap', source.configMapRef?.name);
    }
    for (const variable of container.env ?? []) {
      add('secret', variable.valueFrom?.secretKeyRef?.name);
      add('configmap', variable.valueFrom?.configMapKeyRef?.name);
    }
  }
}

/** Volumes by the secrets (`namespace/name`) that a node needs to mount them. */
export const VOLUMES_BY_SECRET: ViewIndexer<V1PersistentVolume> = {
  name: 'node-secret',
  values: (volume) => {
    const spec = volume.spec;
    const claimNamespace = spec?.claimRef?.namespace ?? '';
    const references = [
      spec?.cephfs?.secretRef, spec?.cinder?.secretRef, spec?.flexVolume?.secretRef, spec?.rbd?.secretRef, spec?.scaleIO?.secretRef,
      spec?.iscsi?.secretRef, spec?.storageos?.secretRef, spec?.csi?.nodePublishSecretRef, spec?.csi?.nodeStageSecretRef, spec?.csi?.nodeExpandSecretRef,
      spec?.azureFile ? { name: spec.azureFile.secretName, namespace: spec.azureFile.secretNamespace } : undefined,
    ];
    return references.flatMap((reference) => (reference?.name ? [`${reference.namespace ?? claimNamespace}/${reference.name}`] : []));
  },
};
