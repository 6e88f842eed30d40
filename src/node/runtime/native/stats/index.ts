export { openCounters } from './cgroup-counters.js';
export type { CgroupCounters, CounterReader } from './cgroup-counters.js';
export { CpuUsage, readContainerStats } from './container-stats.js';
export type { MeasuredContainer, StatsTools } from './container-stats.js';
export { FolderSizes } from './folder-sizes.js';
export type { FolderSize } from './folder-sizes.js';
export { readFileSystemStats, readNodeStats } from './node-stats.js';
export type { FileSystemStats, NodeStats, NodeStatsTools } from './node-stats.js';
