/**
 * Names and places of one cluster's things on a host. Whatever a node puts on a host carries the cluster's id or stands in
 * one of these folders, so that a reset finds all of it, also when the data directory is gone, and nothing of another cluster.
 */
export interface NodeHost {
  /** Eight hexadecimal digits. */
  readonly clusterId: string;
  /** Survives a restart of the machine: images, containers, volumes, logs. Only root may enter. */
  readonly stateFolder: string;
  /** Does not: namespaces, sockets, exit files. On a tmpfs, and short, since paths of sockets may have 107 bytes. `/run/kube/<id>` */
  readonly runFolder: string;
  /** Beginning of the control groups' paths below each controller: `/kube-<id>`. */
  readonly cgroup: string;
  /** Beginning of the names of interfaces, 9 characters of the 15 that Linux allows: `k<id>`. */
  readonly interfacePrefix: string;
  /** Beginning of the names of nftables tables: `kube-<id>`. */
  readonly tablePrefix: string;
}
