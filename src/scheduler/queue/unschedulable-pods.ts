import type { QueuedPod } from './queued-pod.js';

/** Pods that fit nowhere, or are gated, until something changes; found by the plugins that keep them here. */
export class UnschedulablePods {
  private readonly pods = new Map<string, QueuedPod>();
  private readonly byPlugin = new Map<string, Map<string, QueuedPod>>();
  private gated = 0;

  get gatedCount(): number {
    return this.gated;
  }

  /** Number of pods that were tried and are not gated. */
  get unschedulableCount(): number {
    return this.pods.size - this.gated;
  }

  get size(): number {
    return this.pods.size;
  }

  get(uid: string): QueuedPod | undefined {
    return this.pods.get(uid);
  }

  /** Adds a pod under its rejectors. They and its gating plugin must not change while it is here. */
  add(pod: QueuedPod): void {
    this.delete(pod.info.uid);
    this.pods.set(pod.info.uid, pod);
    if (pod.gatingPlugin !== '') this.gated++;
    for (const plugin of pod.rejectors) {
      const members = this.byPlugin.get(plugin);
      if (members) members.set(pod.info.uid, pod);
      else this.byPlugin.set(plugin, new Map([[pod.info.uid, pod]]));
    }
  }

  delete(uid: string): QueuedPod | undefined {
    const pod = this.pods.get(uid);
    if (!pod) return undefined;
    this.pods.delete(uid);
    if (pod.gatingPlugin !== '') this.gated--;
    for (const plugin of pod.rejectors) {
      const members = this.byPlugin.get(plugin);
      members?.delete(uid);
      if (members?.size === 0) this.byPlugin.delete(plugin);
    }
    return pod;
  }

  all(): Iterable<QueuedPod> {
    return this.pods.values();
  }

  /** Pods that at least one of the plugins keeps here. */
  rejectedBy(plugins: Iterable<string>): readonly QueuedPod[] {
    const found = new Map<string, QueuedPod>();
    for (const plugin of plugins) for (const [uid, pod] of this.byPlugin.get(plugin) ?? []) found.set(uid, pod);
    return [...found.values()];
  }
}
