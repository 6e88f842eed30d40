import { Gauge, type Registry } from 'prom-client';
import { KeyedCounter } from '../../base/metrics/keyed-counter.js';
import { KeyedHistogram } from '../../base/metrics/keyed-histogram.js';
import type { RequestInfo } from '../handler/request-info.js';

/** Seconds; upstream's buckets. */
const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const MUTATING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const VERBS: Readonly<Record<string, string>> = {
  get: 'GET', list: 'LIST', watch: 'WATCH', create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE', deletecollection: 'DELETECOLLECTION', connect: 'CONNECT',
};

type RequestLabel = 'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope' | 'component' | 'dry_run';

/** The metrics of requests, under upstream's names. */
export class RequestMetrics {
  private readonly total: KeyedCounter<RequestLabel | 'code'>;
  private readonly duration: KeyedHistogram<RequestLabel>;
  private readonly inflight = { readOnly: 0, mutating: 0 };
  private readonly longRunning = new Map<string, { readonly labels: Record<Exclude<RequestLabel, 'dry_run'>, string>; value: number }>();

  constructor(registry: Registry) {
    const labels: readonly RequestLabel[] = ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
    this.total = new KeyedCounter('apiserver_request_total', 'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.', [...labels, 'code'], registry);
    this.duration = new KeyedHistogram('apiserver_request_duration_seconds', 'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.', labels, DURATION_BUCKETS, registry);
    const { inflight, longRunning } = this;
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
      labelNames: ['request_kind'],
      registers: [registry],
      collect() {
        this.set({ request_kind: 'readOnly' }, inflight.readOnly);
        this.set({ request_kind: 'mutating' }, inflight.mutating);
      },
    });
    new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
      labelNames: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
      registers: [registry],
      collect() {
        for (const { labels: of, value } of longRunning.values()) this.set(of, value);
      },
    });
  }

  /** A request that is not long-running begins. */
  begin(verb: string): void {
    this.inflight[MUTATING.has(verb) ? 'mutating' : 'readOnly']++;
  }

  end(verb: string): void {
    this.inflight[MUTATING.has(verb) ? 'mutating' : 'readOnly']--;
  }

  /** A request has been answered. */
  observe(info: RequestInfo | undefined, dryRun: boolean, code: number, seconds: number): void {
    const key = info ? `${info.verb}/${info.group}/${info.version}/${info.resource}/${info.subresource}/${scopeOf(info)}/${dryRun}` : '';
    this.total.add(`${key}/${code}`, () => ({ ...labelsOf(info), dry_run: dryRun ? 'All' : '', code: String(code) }));
    // Watches last as long as their clients want.
    if (info?.verb !== 'watch') this.duration.record(key, () => ({ ...labelsOf(info), dry_run: dryRun ? 'All' : '' }), seconds);
  }

  /** A watch or the like has begun (1) or ended (-1). */
  longRunningChanged(info: RequestInfo, by: 1 | -1): void {
    const key = `${info.verb}/${info.group}/${info.version}/${info.resource}/${info.subresource}/${scopeOf(info)}`;
    const known = this.longRunning.get(key);
    if (known) known.value += by;
    else this.longRunning.set(key, { labels: labelsOf(info), value: by });
  }
}

function labelsOf(info: RequestInfo | undefined): Record<Exclude<RequestLabel, 'dry_run'>, string> {
  if (!info?.isResourceRequest) {
    return { verb: info ? info.verb.toUpperCase() : '', group: '', version: '', resource: '', subresource: info?.path.startsWith('/healthz') ? '/healthz' : '', scope: '', component: 'apiserver' };
  }
  return {
    verb: VERBS[info.verb] ?? info.verb.toUpperCase(),
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    scope: scopeOf(info),
    component: 'apiserver',
  };
}

function scopeOf(info: RequestInfo): string {
  if (!info.isResourceRequest) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace !== '' ? 'namespace' : 'cluster';
}
