export { readContainerLog } from './read-log.js';
export { createLogRotator } from './rotator.js';
export type { LogRotator, LogRotatorOptions, RunningLog } from './rotator.js';
export { rotatedFiles } from './rotated-files.js';
