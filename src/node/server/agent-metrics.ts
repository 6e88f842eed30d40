import { Gauge, type Registry } from 'prom-client';
import type { RuntimeService } from '../runtime/index.js';

/** A node as the agent's own metrics count it. */
export interface CountedNode {
  readonly runtime: RuntimeService;
  /** Pods of which something runs or may run. */
  active(): number;
}

/** Adds to a registry what upstream's kubelet tells about itself, counted when somebody asks. */
export function registerAgentMetrics(registry: Registry, nodes: ReadonlyMap<string, CountedNode>): void {
  const registers = [registry];
  new Gauge({
    name: 'kubelet_node_name', help: 'The node\'s name. The count is always 1.', labelNames: ['node'], registers,
    collect() {
      this.reset();
      for (const name of nodes.keys()) this.set({ node: name }, 1);
    },
  });
  new Gauge({
    name: 'kubelet_running_pods', help: 'Number of pods that have a running pod sandbox', registers,
    async collect() {
      let count = 0;
      for (const { runtime } of nodes.values()) count += (await runtime.listPodSandbox()).filter(({ state }) => state === 'ready').length;
      this.set(count);
    },
  });
  new Gauge({
    name: 'kubelet_running_containers', help: 'Number of containers currently running', labelNames: ['container_state'], registers,
    async collect() {
      const counts = new Map<string, number>();
      for (const { runtime } of nodes.values()) for (const { state } of await runtime.listContainers()) counts.set(state, (counts.get(state) ?? 0) + 1);
      this.reset();
      for (const [state, count] of counts) this.set({ container_state: state }, count);
    },
  });
  new Gauge({
    name: 'kubelet_active_pods', help: 'The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.', labelNames: ['static'], registers,
    collect() {
      this.set({ static: '' }, [...nodes.values()].reduce((total, node) => total + node.active(), 0));
    },
  });
}
