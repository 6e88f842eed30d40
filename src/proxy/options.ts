/** Settings of a service proxy; frozen and structured-cloneable. */
export interface ServiceProxyOptions {
  /** Name of its nftables tables: `kube-<id>-services`. Nothing outside of them is touched. */
  readonly table: string;
  readonly nodeName: string;
  /** The node's own addresses; node ports answer on them and on no others. Primary first. */
  readonly nodeIps: readonly string[];
  /** Range of the pods of the whole cluster: what comes from elsewhere to a cluster address is masqueraded. */
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
  /** Beginning of the names of the interfaces that lead to pods. */
  readonly interfacePrefix: string;
  /** Least milliseconds between two changes of the tables; what comes meanwhile is put together. Default 10. */
  readonly minSyncMilliseconds?: number;
}
