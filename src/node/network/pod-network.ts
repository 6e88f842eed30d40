/** What a sandbox's network is made for. */
export interface NetworkRequest {
  readonly sandboxId: string;
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  /** A file that holds the network namespace. */
  readonly namespacePath: string;
  readonly portMappings: readonly { readonly protocol: string; readonly containerPort: number; readonly hostPort: number; readonly hostIp: string }[];
  /** Of the pod: `kubernetes.io/ingress-bandwidth` and the like. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** A sandbox's network. */
export interface AttachedNetwork {
  /** Primary address first. */
  readonly ips: readonly string[];
}

/** Gives sandboxes their network. What it makes on the host carries the cluster's id. All calls may run at the same time. */
export interface PodNetwork {
  /** Makes what the host needs (forwarding, tables, chains) and takes up what an earlier run left: `live` are the sandboxes that still exist; whatever belongs to others is removed. Idempotent. */
  start(live: ReadonlySet<string>): Promise<void>;
  /** The range for addresses became known or changed; sandboxes that have an address keep it. */
  setPodCidr(podCidr: string): Promise<void>;
  /** Rejects with a message fit for an event; nothing is left behind then. */
  attach(request: NetworkRequest): Promise<AttachedNetwork>;
  /** Gives back everything that {@link attach} took, whether its namespace still exists or not. Idempotent. */
  detach(sandboxId: string): Promise<void>;
  /** The network of a sandbox that was attached by this run or an earlier one; undefined when there is none. */
  attached(sandboxId: string): AttachedNetwork | undefined;
  /** Makes anew what others have removed from the host's rules. Resolves with whether something was. */
  repair(): Promise<boolean>;
  status(): { readonly ready: boolean; readonly message: string };
}
