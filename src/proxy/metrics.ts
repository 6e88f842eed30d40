import { Counter, exponentialBuckets, Gauge, Histogram, linearBuckets, type Registry } from 'prom-client';

/** The proxy's metrics, under upstream's names, in one registry. Durations are in seconds. */
export class ProxyMetrics {
  readonly syncSeconds: Histogram<'ip_family'>;
  readonly fullSyncSeconds: Histogram<'ip_family'>;
  readonly partialSyncSeconds: Histogram<'ip_family'>;
  readonly lastSync: Gauge<'ip_family'>;
  readonly lastQueued: Gauge<'ip_family'>;
  readonly programmingSeconds: Histogram<'ip_family'>;
  readonly endpointChanges: Counter;
  readonly serviceChanges: Counter;
  readonly syncFailures: Counter<'ip_family'>;
  readonly cleanupFailures: Counter<'ip_family'>;
  readonly withoutLocalEndpoints: Gauge<'traffic_policy' | 'ip_family'>;

  constructor(registry: Registry) {
    // A proxy that is started again takes the place of the one before.
    for (const { name } of registry.getMetricsAsArray()) if (name.startsWith('kubeproxy_')) registry.removeSingleMetric(name);
    const registers = [registry];
    const labelNames = ['ip_family'] as const;
    const buckets = exponentialBuckets(0.001, 2, 15);
    this.syncSeconds = new Histogram({ name: 'kubeproxy_sync_proxy_rules_duration_seconds', help: 'Time to bring the rules to the wanted state.', labelNames, buckets, registers });
    this.fullSyncSeconds = new Histogram({ name: 'kubeproxy_sync_full_proxy_rules_duration_seconds', help: 'Time to write all rules anew.', labelNames, buckets, registers });
    this.partialSyncSeconds = new Histogram({ name: 'kubeproxy_sync_partial_proxy_rules_duration_seconds', help: 'Time to write the rules that changed.', labelNames, buckets, registers });
    this.lastSync = new Gauge({ name: 'kubeproxy_sync_proxy_rules_last_timestamp_seconds', help: 'When the rules were last brought to the wanted state.', labelNames, registers });
    this.lastQueued = new Gauge({ name: 'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds', help: 'When a change of the rules was last asked for.', labelNames, registers });
    this.programmingSeconds = new Histogram({
      name: 'kubeproxy_network_programming_duration_seconds', help: 'Time from the change of a service or pod to the rules that follow it.', labelNames,
      buckets: [...linearBuckets(0.25, 0.25, 2), ...linearBuckets(1, 1, 59), ...linearBuckets(60, 5, 12), ...linearBuckets(120, 30, 7)], registers,
    });
    this.endpointChanges = new Counter({ name: 'kubeproxy_sync_proxy_rules_endpoint_changes_total', help: 'Number of changes of EndpointSlices seen.', registers });
    this.serviceChanges = new Counter({ name: 'kubeproxy_sync_proxy_rules_service_changes_total', help: 'Number of changes of Services seen.', registers });
    this.syncFailures = new Counter({ name: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total', help: 'Number of transactions that failed.', labelNames, registers });
    this.cleanupFailures = new Counter({ name: 'kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total', help: 'Number of times that chains without use could not be removed.', labelNames, registers });
    this.withoutLocalEndpoints = new Gauge({ name: 'kubeproxy_sync_proxy_rules_no_local_endpoints_total', help: 'Number of service ports with a Local traffic policy and no endpoint on this node.', labelNames: ['traffic_policy', 'ip_family'], registers });
  }
}

/** The label of all of them. */
export const IPV4 = { ip_family: 'IPv4' } as const;
