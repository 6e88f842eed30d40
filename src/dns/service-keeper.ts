import type { V1EndpointSlice, V1Service } from '../api/generated/types.js';
import { ENDPOINT_SLICES, SERVICES } from '../api/resource-refs.js';
import { StatusError } from '../api/status-error.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Client, Informer, InformerFactory } from '../client/index.js';
import { createWorkQueue, runWorkers, type Workers } from '../reconcile/index.js';

const NAMESPACE = 'kube-system';
const NAME = 'kube-dns';
const KEY = `${NAMESPACE}/${NAME}`;
/** Value of the label that tells which program keeps a slice. */
const MANAGED_BY = 'kube-dns.kube';
const LABELS = { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
/** Port that pods ask, as `resolv.conf` cannot name another. */
const SERVICE_PORT = 53;

/** What {@link ServiceKeeper} needs. */
export interface ServiceKeeperOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  /** Cluster address of the service. */
  readonly serviceAddress: string;
  /** Where the server listens. */
  readonly address: string;
}

/**
 * Keeps the `kube-dns` Service, which has no selector, and the EndpointSlice that leads to this server; mends them when somebody changes or
 * removes them. A Service of that name with a selector belongs to a DNS server that runs in pods and is left alone.
 */
export class ServiceKeeper {
  private readonly services: Informer<V1Service>;
  private readonly slices: Informer<V1EndpointSlice>;
  private readonly endings: (() => void)[] = [];
  private readonly stopping = new AbortController();
  private workers: Workers | undefined;

  /** Must be made before the informers start. */
  constructor(private readonly options: ServiceKeeperOptions) {
    this.services = options.informers.informer(SERVICES);
    this.slices = options.informers.informer(ENDPOINT_SLICES);
  }

  /** Begins to keep them, for a server that listens on `port`. */
  start(port: number): void {
    const { clock, log } = this.options;
    const queue = createWorkQueue({ clock, name: 'kube-dns' });
    const changed = (object: V1Service | V1EndpointSlice): void => {
      if (object.metadata?.namespace === NAMESPACE && object.metadata.name === NAME) queue.add(KEY);
    };
    this.endings.push(
      this.services.addHandler({ add: changed, update: changed, delete: changed }),
      this.slices.addHandler({ add: changed, update: changed, delete: changed }),
    );
    queue.add(KEY);
    const ready = Promise.all([this.services.whenSynced(this.stopping.signal), this.slices.whenSynced(this.stopping.signal)]).then(() => undefined);
    this.workers = runWorkers({ name: 'kube-dns', queue, workers: 1, reconcile: () => this.reconcile(port), clock, log, ready });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const end of this.endings.splice(0)) end();
    await this.workers?.stop();
  }

  private async reconcile(port: number): Promise<void> {
    const present = this.services.get(NAMESPACE, NAME);
    if (present?.spec?.selector && Object.keys(present.spec.selector).length > 0) return;
    try {
      await this.keepService(present);
      await this.keepSlice(port);
    } catch (error) {
      // Trying again would not help: the address does not suit the cluster.
      if (!StatusError.is(error, 'Invalid')) throw error;
      this.options.log.warn('the kube-dns service cannot be kept', { error: error.message });
    }
  }

  private async keepService(present: V1Service | undefined): Promise<void> {
    const client = this.options.client.resource(SERVICES);
    const wanted = this.service();
    if (present && present.spec?.clusterIP !== wanted.spec!.clusterIP) {
      // The address of a Service cannot be changed.
      await client.delete(NAMESPACE, NAME, { preconditions: { uid: present.metadata!.uid! } });
    } else if (present) {
      const { labels = {} } = present.metadata ?? {};
      if (hasLabels(labels, LABELS) && hasPorts(present.spec?.ports, wanted.spec!.ports!)) return;
      await client.update({
        ...present,
        metadata: { ...present.metadata, labels: { ...labels, ...LABELS } },
        spec: { ...present.spec, ports: wanted.spec!.ports! },
      });
      return;
    }
    await client.create(wanted);
  }

  private async keepSlice(port: number): Promise<void> {
    const client = this.options.client.resource(ENDPOINT_SLICES);
    const present = this.slices.get(NAMESPACE, NAME);
    const wanted = this.slice(port);
    if (!present) {
      await client.create(wanted);
      return;
    }
    if (present.addressType !== wanted.addressType) {
      await client.delete(NAMESPACE, NAME, { preconditions: { uid: present.metadata!.uid! } });
      await client.create(wanted);
      return;
    }
    const [endpoint, ...more] = present.endpoints ?? [];
    const same =
      hasLabels(present.metadata?.labels ?? {}, wanted.metadata!.labels!) && hasPorts(present.ports, wanted.ports!) && more.length === 0 &&
      endpoint?.addresses.length === 1 && endpoint.addresses[0] === this.options.address && endpoint.conditions?.ready === true;
    if (!same) await client.update({ ...wanted, metadata: { ...present.metadata, labels: { ...present.metadata?.labels, ...wanted.metadata!.labels } } });
  }

  private service(): V1Service {
    const { serviceAddress } = this.options;
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: NAMESPACE, name: NAME, labels: LABELS },
      spec: {
        type: 'ClusterIP',
        clusterIP: serviceAddress,
        clusterIPs: [serviceAddress],
        ports: [
          { name: 'dns', port: SERVICE_PORT, protocol: 'UDP', targetPort: SERVICE_PORT },
          { name: 'dns-tcp', port: SERVICE_PORT, protocol: 'TCP', targetPort: SERVICE_PORT },
        ],
      },
    };
  }

  private slice(port: number): V1EndpointSlice {
    const { address } = this.options;
    return {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        namespace: NAMESPACE, name: NAME,
        labels: { ...LABELS, 'kubernetes.io/service-name': NAME, 'endpointslice.kubernetes.io/managed-by': MANAGED_BY },
      },
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true, serving: true, terminating: false } }],
      ports: [
        { name: 'dns', port, protocol: 'UDP' },
        { name: 'dns-tcp', port, protocol: 'TCP' },
      ],
    };
  }
}

function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
}

function hasPorts(ports: readonly Port[] | undefined, wanted: readonly Port[]): boolean {
  return ports?.length === wanted.length && wanted.every(({ name, port, protocol }) => ports.some((other) => other.name === name && other.port === port && other.protocol === protocol));
}
