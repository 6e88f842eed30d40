import type { V1Pod, V1Service } from '../../api/generated/types.js';

interface ServiceTimes {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * Finds the time of the change that endpoints follow, for the annotation `endpoints.kubernetes.io/last-change-trigger-time`: the earliest
 * among the service's creation and its pods' changes of readiness that are new since the last call.
 */
export class TriggerTimes {
  private readonly known = new Map<string, ServiceTimes>();

  /** RFC 3339; undefined: nothing of that kind has changed. */
  next(key: string, service: V1Service, pods: readonly V1Pod[]): string | undefined {
    const last = this.known.get(key);
    const created = service.metadata?.creationTimestamp ?? '';
    const times = new Map<string, string>();
    let earliest = created > (last?.service ?? '') ? created : undefined;
    for (const { metadata, status } of pods) {
      const time = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
      if (!time) continue;
      const name = metadata?.name ?? '';
      times.set(name, time);
      if (time > (last?.pods.get(name) ?? '') && (earliest === undefined || time < earliest)) earliest = time;
    }
    this.known.set(key, { service: created, pods: times });
    return last ? earliest : created || undefined;
  }

  /** The service is gone. */
  forget(key: string): void {
    this.known.delete(key);
  }
}
