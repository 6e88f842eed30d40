export { createPodVolumes, type PodVolumesEnvironment, type PodVolumesOptions } from './create-pod-volumes.js';
export type { ContainerDevices, PodVolumes } from './pod-volumes.js';
export { VolumeError } from './volume-error.js';
