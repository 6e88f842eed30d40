import type { V1Container, V1Pod, V1ServiceAccount } from '../../api/generated/types.js';

/** Names of the secrets that a pod refers to anywhere. */
export function referencedSecrets(pod: V1Pod): string[] {
  const spec = pod.spec;
  const names: (string | undefined)[] = [];
  for (const reference of spec?.imagePullSecrets ?? []) names.push(reference.name);
  for (const container of [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])]) {
    for (const source of container.envFrom ?? []) names.push(source.secretRef?.name);
    for (const variable of container.env ?? []) names.push(variable.valueFrom?.secretKeyRef?.name);
  }
  for (const volume of spec?.volumes ?? []) {
    names.push(volume.secret?.secretName, volume.csi?.nodePublishSecretRef?.name, volume.azureFile?.secretName);
    for (const source of volume.projected?.sources ?? []) names.push(source.secret?.name);
    for (const holder of [volume.cephfs, volume.cinder, volume.flexVolume, volume.rbd, volume.scaleIO, volume.iscsi, volume.storageos]) names.push(holder?.secretRef?.name);
  }
  return names.filter((name): name is string => name !== undefined && name !== '');
}

/**
 * For accounts that list what their pods may mount: says which secret of the pod is not in the list; undefined when
 * all are. `ephemeral` looks at ephemeral containers alone.
 */
export function checkMountableSecrets(account: V1ServiceAccount, pod: V1Pod, containers: 'all' | 'ephemeral'): string | undefined {
  const allowed = new Set((account.secrets ?? []).map((reference) => reference.name));
  const accountName = account.metadata?.name ?? '';
  const because = `is not allowed because service account ${accountName} does not reference that secret`;
  const spec = pod.spec;
  const check = (list: readonly V1Container[] | undefined, noun: string): string | undefined => {
    for (const container of list ?? []) {
      for (const variable of container.env ?? []) {
        const name = variable.valueFrom?.secretKeyRef?.name;
        if (name !== undefined && !allowed.has(name)) return `${noun} ${container.name} with envVar ${variable.name} referencing secret.secretName="${name}" ${because}`;
      }
      for (const source of container.envFrom ?? []) {
        const name = source.secretRef?.name;
        if (name !== undefined && !allowed.has(name)) return `${noun} ${container.name} with envFrom referencing secret.secretName="${name}" ${because}`;
      }
    }
    return undefined;
  };
  if (containers === 'ephemeral') return check(spec?.ephemeralContainers, 'ephemeral container');
  for (const volume of spec?.volumes ?? []) {
    const name = volume.secret?.secretName;
    if (name !== undefined && !allowed.has(name)) return `volume with secret.secretName="${name}" ${because}`;
  }
  const complaint = check(spec?.initContainers, 'init container') ?? check(spec?.containers, 'container');
  if (complaint !== undefined) return complaint;
  const pull = new Set((account.imagePullSecrets ?? []).map((reference) => reference.name));
  const index = (spec?.imagePullSecrets ?? []).findIndex((reference) => !pull.has(reference.name));
  if (index < 0) return undefined;
  return `imagePullSecrets[${index}].name="${spec!.imagePullSecrets![index]!.name}" is not allowed because service account ${accountName} does not reference that imagePullSecret`;
}
