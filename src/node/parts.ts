import type { Component } from '../base/component.js';
import type { References } from './references/references.js';
import type { Machine } from './machine/machine.js';
import type { LocalNode } from './pods/local-node.js';
import type { NodeSpec } from './options.js';
import type { OpenImageStore } from './images/index.js';
import type { NodeRuntime } from './runtime/index.js';
import type { NodeUsage } from './server/stats/node-usage.js';
import type { PodVolumes } from './volumes/pod-volumes.js';

/** What one node is made of. */
export interface NodeParts {
  readonly runtime: NodeRuntime;
  readonly volumes: PodVolumes;
  /** Absent on simulated nodes. */
  readonly local?: LocalNode;
  /** The machine under the node; absent: the node pretends. */
  readonly machine?: Machine;
  /** Looks again at what the machine has: it may grow or shrink while it runs. */
  readonly readMachine?: () => Promise<Machine>;
  /** What the node and its pods use; absent: the node pretends. */
  readonly usage?: NodeUsage;
  /** Whose unused images are removed when the disk is full. */
  readonly store?: Pick<OpenImageStore, 'collect'>;
  /** Work of the node beside its pods: collection of garbage, rotation of logs. Started once its pods are known. */
  readonly keepers?: readonly Component[];
}

/** Makes the parts of a node. */
export type MakeNodeParts = (node: NodeSpec, shared: { readonly references: References }) => Promise<NodeParts>;
