import type { V1Service } from '../../../api/generated/types.js';
import { SERVICES } from '../../../api/resource-refs.js';
import type { ServerContext } from '../../server-context.js';
import type { ViewIndexer } from '../cluster-view.js';
import { PendingValues, type Claims } from './allocation.js';
import type { ServiceName } from './service-addresses.js';

/** Keys outside the objects: which service has a node port. */
export const NODE_PORT_PREFIX = '/nodeports/';

/** Why a port cannot be had; upstream's words. */
export class PortError extends Error {}

/** All ports that a service takes on every node, health check included. */
export function nodePortsOf(service: V1Service): number[] {
  const spec = service.spec;
  const ports = (spec?.ports ?? []).flatMap((port) => (port.nodePort ? [port.nodePort] : []));
  if (spec?.healthCheckNodePort) ports.push(spec.healthCheckNodePort);
  return [...new Set(ports)];
}

const SERVICES_BY_NODE_PORT: ViewIndexer<V1Service> = { name: 'node-port', values: (service) => nodePortsOf(service).map(String) };

/** Node ports: each one that is taken is a key in the store, written in the transaction of its service. */
export class ServiceNodePorts {
  private readonly pending = new PendingValues();

  constructor(private readonly context: ServerContext) {}

  /** Starts to collect what one write does with ports. */
  operation(claims: Claims, service: ServiceName, dryRun: boolean): NodePortOperation {
    const { from, to } = this.context.options.serviceNodePortRange;
    return new NodePortOperation(claims, dryRun, {
      from,
      to,
      isTaken: (port) => this.pending.has(String(port)) || this.context.view.byIndex(SERVICES, SERVICES_BY_NODE_PORT, String(port)).length > 0,
      claim: (port) => claims.take(this.pending, String(port), `${NODE_PORT_PREFIX}${port}`, Buffer.from(JSON.stringify(service))),
      random: () => this.context.random.float(),
    });
  }
}

interface PortSource {
  readonly from: number;
  readonly to: number;
  isTaken(port: number): boolean;
  claim(port: number): void;
  random(): number;
}

/** Size of the lower band, which is left to those who choose their port themselves. */
function reservedPorts(size: number): number {
  return size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(size / 32)));
}

/** In a dry run nothing is taken, and free ports are made up from here on. */
const DRY_RUN_START = 32768;

/** The ports of one write. */
export class NodePortOperation {
  private readonly allocated: number[] = [];

  constructor(
    private readonly claims: Claims,
    private readonly dryRun: boolean,
    private readonly source: PortSource,
  ) {}

  /** Takes the port that the user wants. Throws a {@link PortError}. */
  take(port: number): void {
    const { from, to } = this.source;
    if (this.dryRun ? this.source.isTaken(port) || this.allocated.includes(port) : false) throw new PortError('provided port is already allocated');
    if (!this.dryRun) {
      if (port < from || port > to) throw new PortError(`provided port is not in the valid range. The range of valid ports is ${from}-${to}`);
      if (this.source.isTaken(port)) throw new PortError('provided port is already allocated');
      this.source.claim(port);
    }
    this.allocated.push(port);
  }

  /** Takes any free port. Throws a {@link PortError} when none is left. */
  takeAny(): number {
    const port = this.dryRun ? Math.max(DRY_RUN_START, ...this.allocated) + 1 : this.free();
    if (!this.dryRun) this.source.claim(port);
    this.allocated.push(port);
    return port;
  }

  release(port: number): void {
    if (!this.dryRun) this.claims.release(`${NODE_PORT_PREFIX}${port}`);
  }

  private free(): number {
    const { from, to } = this.source;
    const reserved = reservedPorts(to - from + 1);
    const port = this.freeBetween(from + reserved, to) ?? this.freeBetween(from, from + reserved - 1);
    if (port === undefined) throw new PortError('range is full');
    return port;
  }

  private freeBetween(first: number, last: number): number | undefined {
    const size = last - first + 1;
    if (size <= 0) return undefined;
    const start = Math.floor(this.source.random() * size);
    for (let i = 0; i < size; i++) {
      const port = first + ((start + i) % size);
      if (!this.source.isTaken(port)) return port;
    }
    return undefined;
  }
}
