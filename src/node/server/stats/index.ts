export { cadvisorMetrics, shownGroups } from './cadvisor-metrics.js';
export { openNodeUsage, type MachineReading, type NodeUsage, type NodeUsageOptions, type PodReading } from './node-usage.js';
export { resourceMetrics } from './resource-metrics.js';
export { simulatedMetrics, simulatedSummary } from './simulated.js';
export { summary } from './summary.js';
