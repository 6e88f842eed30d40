/** Settings of the cluster's DNS; frozen and structured-cloneable. */
export interface ClusterDnsOptions {
  /** Address and port on which it listens, UDP and TCP; port 0 takes a free one. */
  readonly address: string;
  readonly port: number;
  /** `cluster.local`, without a dot at the end. */
  readonly clusterDomain: string;
  /** Address of the `kube-dns` service. */
  readonly serviceAddress: string;
  /** Servers for all other names, `ADDRESS` or `ADDRESS:PORT`; absent: those of {@link resolvConf}. */
  readonly upstreams?: readonly string[];
  /** Default `/etc/resolv.conf`, or the file behind it where that names a loopback stub. */
  readonly resolvConf?: string;
}
