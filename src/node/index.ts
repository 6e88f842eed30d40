export { createNodeAgent, type NodeAgent, type NodeAgentEnvironment } from './agent.js';
export { DEFAULT_CAPACITY, type NodeAgentOptions, type NodeSpec } from './options.js';
export type { NodeRuntime } from './runtime/index.js';
export type { SimLatencies, SimOptions } from './runtime/sim/index.js';
export type { NodeHost } from './host.js';
export type { RegistriesOptions, RegistryOptions } from './images/registry/options.js';
export type { MakeNodeParts, NodeParts } from './parts.js';
