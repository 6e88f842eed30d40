import { isIP } from 'node:net';
import type { Bandwidth } from '../bandwidth.js';
import type { NetworkRequest } from '../pod-network.js';
import type { CniAttachment } from './chain.js';
import type { CniNetwork } from './config.js';

/** As other runtimes: no limit of what is sent at once, other than the rate. */
const BURST_BITS = 2 ** 31 - 1;

/** What plugins are told of a sandbox: the arguments that Kubernetes runtimes give, and the capabilities portMappings, bandwidth and ipRanges. */
export function cniAttachment(network: CniNetwork, folders: readonly string[], request: NetworkRequest, bandwidth: Bandwidth, podCidr: string | undefined): CniAttachment {
  const portMappings = request.portMappings.filter((mapping) => mapping.hostPort > 0).map(({ hostPort, containerPort, protocol, hostIp }) => ({
    hostPort, containerPort, protocol: (protocol || 'TCP').toLowerCase(), ...(isIP(hostIp) ? { hostIP: hostIp } : {}),
  }));
  const limits = {
    ...(bandwidth.ingress === undefined ? {} : { ingressRate: bandwidth.ingress, ingressBurst: BURST_BITS }),
    ...(bandwidth.egress === undefined ? {} : { egressRate: bandwidth.egress, egressBurst: BURST_BITS }),
  };
  return {
    network, folders, containerId: request.sandboxId, netns: request.namespacePath,
    args: [
      'IgnoreUnknown=1', `K8S_POD_NAMESPACE=${request.podNamespace}`, `K8S_POD_NAME=${request.podName}`,
      `K8S_POD_INFRA_CONTAINER_ID=${request.sandboxId}`, `K8S_POD_UID=${request.podUid}`,
    ].join(';'),
    runtimeConfig: {
      ...(portMappings.length > 0 ? { portMappings } : {}),
      ...(Object.keys(limits).length > 0 ? { bandwidth: limits } : {}),
      ...(podCidr === undefined ? {} : { ipRanges: podCidr.split(',').map((subnet) => [{ subnet: subnet.trim() }]) }),
    },
  };
}
