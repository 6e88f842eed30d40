import type { V1LoadBalancerStatus, V1Node, V1Service } from '../api/generated/types.js';

/** What load balancers a provider has. Services and nodes are frozen and stay the caller's. */
export interface LoadBalancers {
  /** The state of a service's load balancer; undefined when it has none. */
  get(service: V1Service): Promise<V1LoadBalancerStatus | undefined>;
  /**
   * Makes or changes the load balancer of a service so that it leads to `nodes`, and tells where it answers. Idempotent.
   * Rejects with a message for the service's owner (`KUBE_LOAD_BALANCER`); it is tried again later.
   */
  ensure(service: V1Service, nodes: readonly V1Node[]): Promise<V1LoadBalancerStatus>;
  /** Removes what {@link ensure} made, also when the service object is only known from earlier. Idempotent. */
  delete(service: V1Service): Promise<void>;
}

/** A provider of infrastructure, in the shape of upstream's `cloudprovider.Interface`: what a provider does not have is absent. */
export interface CloudProvider {
  /** E.g. `builtin`. */
  readonly name: string;
  /** Services whose class is one of these, or that name none where undefined is among them, are the provider's. */
  readonly loadBalancerClasses: readonly (string | undefined)[];
  readonly loadBalancers?: LoadBalancers;
}

/** Code of errors that tell a service's owner why there is no load balancer. */
export const LOAD_BALANCER_FAILED = 'KUBE_LOAD_BALANCER';
