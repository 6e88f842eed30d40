export { createPodVolumes } from './create-pod-volumes.js';
