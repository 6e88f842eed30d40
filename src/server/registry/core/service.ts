import { needsClusterIp, needsHealthCheckNodePort } from '../../../api/core/service-traits.js';
import type { Draft } from '../../../api/draft.js';
import type { V1Service, V1ServiceSpec } from '../../../api/generated/types.js';
import { invalid } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { ENDPOINTS } from '../../../api/resource-refs.js';
import { internalError, invalidError } from '../../../api/status-error.js';
import type { ServerContext } from '../../server-context.js';
import type { CommitContext, CommitExtras, RegistryHook } from '../hooks.js';
import { Claims } from './allocation.js';
import { AddressError, ServiceAddresses, type IpFamily, type ServiceName } from './service-addresses.js';
import { keepsPreferredStacks, settleFamilies } from './service-families.js';
import { normalizeClusterIps, patchAllocatedValues } from './service-merge.js';
import { nodePortsOf, PortError, ServiceNodePorts, type NodePortOperation } from './service-node-ports.js';

const SPEC = FieldPath.of('spec');
const KIND = { group: '', kind: 'Service' };

/** Cluster IPs and node ports of services, taken and released in the service's own transaction. */
export class ServiceHook implements RegistryHook<V1Service> {
  private readonly addresses: ServiceAddresses;
  private readonly nodePorts: ServiceNodePorts;

  constructor(private readonly context: ServerContext) {
    this.addresses = new ServiceAddresses(context);
    this.nodePorts = new ServiceNodePorts(context);
  }

  beforeCreate(draft: Draft<V1Service>, context: CommitContext): CommitExtras {
    normalizeClusterIps(draft, undefined);
    settleFamilies(draft, undefined, this.addresses.families);
    return collect((claims) => {
      const service = nameOf(draft);
      const spec = draft.spec!;
      if (needsClusterIp(spec) && spec.clusterIPs?.[0] !== 'None') this.takeAddresses(claims, draft, context.dryRun, 0);
      const ports = this.nodePorts.operation(claims, service, context.dryRun);
      if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') takeNodePorts(draft, ports);
      if (needsHealthCheckNodePort(spec)) takeHealthCheckPort(spec, ports);
    });
  }

  beforeUpdate(draft: Draft<V1Service>, old: V1Service, context: CommitContext): CommitExtras {
    patchAllocatedValues(draft, old);
    normalizeClusterIps(draft, old);
    settleFamilies(draft, old, this.addresses.families);
    return collect((claims) => {
      this.changeAddresses(claims, draft, old, context.dryRun);
      const ports = this.nodePorts.operation(claims, nameOf(draft), context.dryRun);
      const spec = draft.spec!;
      if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') changeNodePorts(draft, old, ports);
      if (needsHealthCheckNodePort(spec) && !needsHealthCheckNodePort(old.spec)) takeHealthCheckPort(spec, ports);
      const kept = new Set(nodePortsOf(draft));
      for (const port of nodePortsOf(old)) if (!kept.has(port)) ports.release(port);
    });
  }

  beforeDelete(service: V1Service, context: CommitContext): CommitExtras {
    return collect((claims) => {
      if (context.dryRun) return;
      for (const ip of allocatedIps(service.spec)) this.addresses.release(claims, ip);
      const ports = this.nodePorts.operation(claims, nameOf(service), false);
      for (const port of nodePortsOf(service)) ports.release(port);
      // A service that comes back under the same name must not find the old one's endpoints.
      const { namespace, name } = nameOf(service);
      if (this.context.view.get(ENDPOINTS, namespace, name)) claims.release(this.context.storeKey(ENDPOINTS, namespace, name));
    });
  }

  private changeAddresses(claims: Claims, draft: Draft<V1Service>, old: V1Service, dryRun: boolean): void {
    const spec = draft.spec!;
    const before = old.spec ?? {};
    if (keepsPreferredStacks(spec, before)) return;
    if (!needsClusterIp(before)) {
      if (needsClusterIp(spec) && spec.clusterIPs?.[0] !== 'None') this.takeAddresses(claims, draft, dryRun, 0);
      return;
    }
    if (before.clusterIPs?.[0] === 'None') return;
    const had = before.ipFamilies?.length ?? 0;
    const has = spec.ipFamilies?.length ?? 0;
    if (!needsClusterIp(spec)) {
      if (!dryRun) for (const ip of allocatedIps(before)) this.addresses.release(claims, ip);
    } else if (had === 1 && has === 2) this.takeAddresses(claims, draft, dryRun, 1);
    else if (had === 2 && has === 1 && !dryRun) this.addresses.release(claims, before.clusterIPs?.[1] ?? '');
  }

  /** Takes one address for each family from index `from` on. */
  private takeAddresses(claims: Claims, draft: Draft<V1Service>, dryRun: boolean, from: number): void {
    const spec = draft.spec!;
    const ips = [...(spec.clusterIPs ?? [])];
    const service = nameOf(draft);
    for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
      if (i < from) continue;
      const wanted = ips[i] ?? '';
      try {
        if (wanted === '') ips[i] = this.addresses.takeAny(claims, service, family as IpFamily, dryRun);
        else this.addresses.take(claims, service, wanted, dryRun);
      } catch (error) {
        if (!(error instanceof AddressError)) throw error;
        if (error.full) throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(service.name)}: ${error.message}`);
        throw invalidError(KIND, service.name, [invalid(SPEC.child('clusterIPs'), ips, `failed to allocate IP ${wanted}: ${error.message}`)]);
      }
    }
    if (ips.length === 0) return;
    spec.clusterIPs = ips;
    spec.clusterIP = ips[0]!;
  }
}

/** Runs `work` with fresh claims; they are given up when it throws. */
function collect(work: (claims: Claims) => void): CommitExtras {
  const claims = new Claims();
  try {
    work(claims);
  } catch (error) {
    claims.abandon();
    throw error;
  }
  return claims.extras();
}

function nameOf(service: { readonly metadata?: { readonly namespace?: string; readonly name?: string } }): ServiceName {
  return { namespace: service.metadata?.namespace ?? '', name: service.metadata?.name ?? '' };
}

function allocatedIps(spec: V1ServiceSpec | undefined): readonly string[] {
  return spec?.type === 'ExternalName' || spec?.clusterIPs?.[0] === 'None' ? [] : (spec?.clusterIPs ?? []);
}

/** Load balancers may do without node ports. */
function wantsNodePorts(spec: V1ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Ports of the same number (TCP and UDP) share a node port unless the user says otherwise. */
function takeNodePorts(draft: Draft<V1Service>, operation: NodePortOperation): void {
  const spec = draft.spec!;
  const byPort = new Map<number, number>();
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !wantsNodePorts(spec)) continue;
    const shared = byPort.get(port.port);
    if (shared === undefined) {
      const wanted = spec.ports!.find((candidate) => candidate.port === port.port && candidate.nodePort)?.nodePort;
      if (wanted) take(draft, i, wanted, operation);
      port.nodePort = wanted ?? takeAny(operation);
      byPort.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) take(draft, i, port.nodePort, operation);
  }
}

function changeNodePorts(draft: Draft<V1Service>, old: V1Service, operation: NodePortOperation): void {
  const spec = draft.spec!;
  const known = new Set((old.spec?.ports ?? []).map((port) => port.nodePort));
  for (const [i, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort) {
      if (!wantsNodePorts(spec)) continue;
      port.nodePort = takeAny(operation);
    } else if (!known.has(port.nodePort)) take(draft, i, port.nodePort, operation);
    known.add(port.nodePort);
  }
}

function take(draft: Draft<V1Service>, index: number, port: number, operation: NodePortOperation): void {
  try {
    operation.take(port);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    throw invalidError(KIND, nameOf(draft).name, [invalid(SPEC.child('ports').index(index).child('nodePort'), port, error.message)]);
  }
}

function takeAny(operation: NodePortOperation): number {
  try {
    return operation.takeAny();
  } catch (error) {
    if (error instanceof PortError) throw internalError(`failed to allocate a nodePort: ${error.message}`);
    throw error;
  }
}

function takeHealthCheckPort(spec: Draft<V1ServiceSpec>, operation: NodePortOperation): void {
  try {
    if (spec.healthCheckNodePort) operation.take(spec.healthCheckNodePort);
    else spec.healthCheckNodePort = operation.takeAny();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    throw internalError(
      spec.healthCheckNodePort
        ? `failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${error.message}`
        : `failed to allocate a HealthCheck NodePort 0: ${error.message}`,
    );
  }
}
