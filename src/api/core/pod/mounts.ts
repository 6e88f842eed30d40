import type { V1Container, V1Volume, V1VolumeDevice, V1VolumeMount } from '../../generated/types.js';
import { forbidden, invalid, notFound, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { checkDescendingPath } from './paths.js';

type Volumes = ReadonlyMap<string, V1Volume>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

/** Rules of `volumeMounts`: of known volumes, one per path, none of them a device too. */
export function checkVolumeMounts(container: V1Container, volumes: Volumes, path: FieldPath, errors: FieldError[]): void {
  const mounts = container.volumeMounts;
  if (!mounts?.length) return;
  const devices = container.volumeDevices ?? [];
  const seen = new Set<string>();
  mounts.forEach((mount, i) => {
    const at = path.index(i);
    const name = mount.name ?? '';
    const mountPath = mount.mountPath ?? '';
    if (name === '') errors.push(required(at.child('name')));
    if (!volumes.has(name)) errors.push(notFound(at.child('name'), name));
    if (mountPath === '') errors.push(required(at.child('mountPath')));
    if (seen.has(mountPath)) errors.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    seen.add(mountPath);
    if (devices.some((device) => device.name === name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    if (devices.some((device) => device.devicePath === mountPath)) {
      errors.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    }
    // The paths of these four lack the index, as upstream's do.
    if (mount.subPath) checkDescendingPath(mount.subPath, path.child('subPath'), errors);
    if (mount.subPathExpr) {
      if (mount.subPath) errors.push(invalid(at.child('subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
      checkDescendingPath(mount.subPathExpr, path.child('subPathExpr'), errors);
    }
    checkPropagation(mount, container, path.child('mountPropagation'), errors);
    checkRecursiveReadOnly(mount, path.child('recursiveReadOnly'), errors);
  });
}

function checkPropagation(mount: V1VolumeMount, container: V1Container, path: FieldPath, errors: FieldError[]): void {
  const propagation = mount.mountPropagation;
  if (propagation === undefined) return;
  if (!PROPAGATIONS.includes(propagation)) errors.push(notSupported(path, propagation, PROPAGATIONS));
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function checkRecursiveReadOnly(mount: V1VolumeMount, path: FieldPath, errors: FieldError[]): void {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined || mode === 'Disabled') return;
  if (!RECURSIVE_READ_ONLY.includes(mode)) return void errors.push(notSupported(path, mode, RECURSIVE_READ_ONLY));
  if (mount.readOnly !== true) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  }
}

/** Rules of `volumeDevices`: raw block devices, only of claims. */
export function checkVolumeDevices(container: V1Container, volumes: Volumes, path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  (container.volumeDevices ?? []).forEach((device, i) => checkDevice(device, volumes, mounts, names, paths, path.index(i), errors));
}

function checkDevice(
  device: V1VolumeDevice,
  volumes: Volumes,
  mounts: readonly V1VolumeMount[],
  names: Set<string>,
  paths: Set<string>,
  at: FieldPath,
  errors: FieldError[],
): void {
  const name = device.name ?? '';
  const devicePath = device.devicePath ?? '';
  const volume = volumes.get(name);
  if (name === '') errors.push(required(at.child('name')));
  if (names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'));
  if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
    errors.push(invalid(at.child('name'), name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
  }
  if (!volume) errors.push(notFound(at.child('name'), name));
  if (devicePath === '') errors.push(required(at.child('devicePath')));
  if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'));
  if (devicePath.split('/').includes('..')) errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
  else paths.add(devicePath);
  if (mounts.some((mount) => mount.name === name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'));
  if (mounts.some((mount) => mount.mountPath === devicePath)) {
    errors.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
  }
  if (name !== '') names.add(name);
}
