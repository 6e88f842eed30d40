import { Counter, type Registry } from 'prom-client';
import { KeyedCounter } from '../base/metrics/keyed-counter.js';

/** Counters under the names that CoreDNS gives them, so that its dashboards show something. */
export interface DnsMetrics {
  readonly requests: KeyedCounter<'proto' | 'type'>;
  readonly responses: KeyedCounter<'rcode'>;
  readonly cacheHits: Counter;
  readonly cacheMisses: Counter;
}

/** Registers the counters, new ones when the role starts again. */
export function createDnsMetrics(registry: Registry): DnsMetrics {
  for (const { name } of registry.getMetricsAsArray()) if (name.startsWith('coredns_')) registry.removeSingleMetric(name);
  return {
    requests: new KeyedCounter('coredns_dns_requests_total', 'Counter of DNS requests made per protocol and type.', ['proto', 'type'], registry),
    responses: new KeyedCounter('coredns_dns_responses_total', 'Counter of response status codes.', ['rcode'], registry),
    cacheHits: new Counter({ name: 'coredns_cache_hits_total', help: 'The count of cache hits.', registers: [registry] }),
    cacheMisses: new Counter({ name: 'coredns_cache_misses_total', help: 'The count of cache misses.', registers: [registry] }),
  };
}
