import type { V1Node } from '../../api/generated/types.js';
import { isConditionTrue } from '../../api/helpers/conditions.js';

/** Upstream's defaults of `--node-eviction-rate` and its companions. */
const RATE_PER_SECOND = 0.1;
const SECONDARY_RATE_PER_SECOND = 0.01;
const UNHEALTHY_THRESHOLD = 0.55;
const LARGE_CLUSTER = 50;

/** `region:zone` of a node's topology labels; empty when it has none. */
export function zoneOf(node: V1Node): string {
  const labels = node.metadata?.labels ?? {};
  const region = labels['topology.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:${zone}`;
}

/** How many nodes a second of a zone may be given up, by how many of them are not ready. 0: none; Infinity is never returned. */
export function evictionRate(nodes: readonly V1Node[]): number {
  const unready = nodes.filter((node) => !isConditionTrue(node.status?.conditions, 'Ready')).length;
  const ready = nodes.length - unready;
  // All gone: more likely the control plane's own network than the nodes. Upstream evicts at full rate only if other zones live.
  if (ready === 0 && unready > 0) return RATE_PER_SECOND;
  if (unready > 2 && unready / nodes.length >= UNHEALTHY_THRESHOLD) return nodes.length > LARGE_CLUSTER ? SECONDARY_RATE_PER_SECOND : 0;
  return RATE_PER_SECOND;
}

/** A token bucket of one token: at most `rate` events a second, with times given by the caller. */
export class RateLimit {
  private free = 0;

  /** True when an event may happen at `now` (milliseconds); takes the token. */
  allow(now: number, rate: number): boolean {
    if (rate <= 0 || now < this.free) return false;
    this.free = now + 1000 / rate;
    return true;
  }
}
