import type { V1LoadBalancerStatus, V1Node, V1Service } from '../../api/generated/types.js';
import { KubeError } from '../../base/errors.js';
import { parseIp } from '../../base/net/ip.js';
import { LOAD_BALANCER_FAILED, type CloudProvider, type LoadBalancers } from '../cloud-provider.js';
import { takenPorts } from './taken-ports.js';

/** What the built-in provider looks at; each call gives the present state. */
export interface BuiltinCloudSources {
  readonly services: () => readonly V1Service[];
  readonly nodes: () => readonly V1Node[];
}

/** For services that name a class of their own; those without a class are served too. */
const CLASS = 'kube.io/builtin';

/**
 * Load balancers without a cloud: a service answers on its own ports at the addresses of the nodes, where the service proxy
 * takes the packets. A port of these addresses belongs to one service: the first one has it, later ones fail until it is free.
 */
export function createBuiltinCloud(sources: BuiltinCloudSources): CloudProvider {
  return { name: 'builtin', loadBalancerClasses: [undefined, CLASS], loadBalancers: new NodeAddressBalancers(sources) };
}

class NodeAddressBalancers implements LoadBalancers {
  /** Ports given away by this process that may not stand in a status yet, by the service's uid. */
  private readonly given = new Map<string, { readonly name: string; readonly ports: readonly string[] }>();

  constructor(private readonly sources: BuiltinCloudSources) {}

  get(service: V1Service): Promise<V1LoadBalancerStatus | undefined> {
    const status = service.status?.loadBalancer;
    return Promise.resolve(status?.ingress?.length || this.given.has(uidOf(service)) ? status ?? {} : undefined);
  }

  ensure(service: V1Service, nodes: readonly V1Node[]): Promise<V1LoadBalancerStatus> {
    const uid = uidOf(service);
    const wanted = (service.spec?.ports ?? []).map(({ port, protocol }) => `${port}/${protocol ?? 'TCP'}`);
    const taken = takenPorts(this.sources.services(), this.sources.nodes(), uid);
    for (const [other, { name, ports }] of this.given) if (other !== uid) for (const port of ports) taken.set(port, `service ${name}`);
    // What it had before and wants no more is free at once.
    this.given.delete(uid);
    const conflicts = wanted.filter((port) => taken.has(port));
    if (conflicts.length > 0) {
      return Promise.reject(new KubeError(LOAD_BALANCER_FAILED, conflicts.map((port) => `port ${port} of the nodes' addresses is taken by ${taken.get(port)!}`).join('; ')));
    }
    this.given.set(uid, { name: `${service.metadata?.namespace ?? ''}/${service.metadata?.name ?? ''}`, ports: wanted });
    const families = service.spec?.ipFamilies ?? ['IPv4'];
    const addresses = new Set(nodes.flatMap((node) => addressesOf(node, families)));
    return Promise.resolve(addresses.size > 0 ? { ingress: [...addresses].map((ip) => ({ ip, ipMode: 'VIP' })) } : {});
  }

  delete(service: V1Service): Promise<void> {
    this.given.delete(uidOf(service));
    return Promise.resolve();
  }
}

/** Internal addresses, the first of each family of the service. */
function addressesOf(node: V1Node, families: readonly string[]): readonly string[] {
  const internal = (node.status?.addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : []));
  return families.flatMap((family) => {
    const found = internal.find((address) => parseIp(address)?.family === (family === 'IPv6' ? 6 : 4));
    return found === undefined ? [] : [found];
  });
}

function uidOf(service: V1Service): string {
  return service.metadata?.uid ?? '';
}
