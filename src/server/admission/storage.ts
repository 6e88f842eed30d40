import type { Draft } from '../../api/draft.js';
import type { V1PersistentVolumeClaim, V1StorageClass } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import { STORAGE_CLASSES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import { newestDefault } from './default-class.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_ANNOTATIONS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Claims that name no class get the default one. */
export class DefaultStorageClass implements AdmissionPlugin {
  readonly name = 'DefaultStorageClass';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'persistentvolumeclaims')) return;
    const claim = a.object as Draft<V1PersistentVolumeClaim>;
    if (claim.metadata?.annotations?.[BETA_CLASS] !== undefined || claim.spec?.storageClassName !== undefined) return;
    const found = newestDefault(this.context.view.list(STORAGE_CLASSES), DEFAULT_ANNOTATIONS);
    if (found) (claim.spec ??= {}).storageClassName = found.metadata?.name ?? '';
  }
}

const FINALIZERS: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Volumes, claims and attribute classes stay until nobody uses them. */
export class StorageObjectInUseProtection implements AdmissionPlugin {
  readonly name = 'StorageObjectInUseProtection';

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    const finalizer = FINALIZERS[`${a.resource.group}/${a.resource.resource}`];
    if (finalizer === undefined || a.subresource !== '' || !a.object) return;
    const metadata = (a.object.metadata ??= {});
    if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  }
}

/** Claims grow only when they are bound and their class allows it. */
export class PersistentVolumeClaimResize implements AdmissionPlugin {
  readonly name = 'PersistentVolumeClaimResize';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'persistentvolumeclaims')) return;
    const after = a.object as V1PersistentVolumeClaim;
    const before = a.oldObject as V1PersistentVolumeClaim;
    const size = (claim: V1PersistentVolumeClaim): Quantity => Quantity.parse(claim.spec?.resources?.requests?.['storage'] ?? '0');
    if (size(after).compare(size(before)) <= 0) return;
    if (before.status?.phase !== 'Bound') throw refusal(a, 'Only bound persistent volume claims can be expanded');
    if (!this.mayGrow(classOf(after), classOf(before))) {
      throw refusal(a, 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize');
    }
  }

  private mayGrow(after: string, before: string): boolean {
    if (after === '' || after !== before) return false;
    const storageClass: V1StorageClass | undefined = this.context.view.get(STORAGE_CLASSES, '', after);
    return storageClass?.allowVolumeExpansion === true;
  }
}

function classOf(claim: V1PersistentVolumeClaim): string {
  return claim.metadata?.annotations?.[BETA_CLASS] ?? claim.spec?.storageClassName ?? '';
}
