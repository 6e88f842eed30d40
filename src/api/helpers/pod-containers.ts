import type { V1Container, V1ContainerPort, V1Pod, V1PodSpec } from '../generated/types.js';

/** An init container that keeps running beside the others (`restartPolicy: Always`). */
export function isSidecar(container: V1Container): boolean {
  return container.restartPolicy === 'Always';
}

/** A port that the pod takes on its node. */
export interface HostPort {
  /** Empty or `0.0.0.0`: every address. */
  readonly hostIP: string;
  readonly protocol: string;
  readonly hostPort: number;
}

/** Host ports of containers and sidecars. */
export function hostPorts(spec: V1PodSpec): HostPort[] {
  const ports: HostPort[] = [];
  const add = (list: readonly V1ContainerPort[] | undefined): void => {
    for (const port of list ?? []) {
      if ((port.hostPort ?? 0) > 0) ports.push({ hostIP: port.hostIP ?? '', protocol: port.protocol ?? 'TCP', hostPort: port.hostPort! });
    }
  };
  for (const container of spec.containers) add(container.ports);
  for (const container of spec.initContainers ?? []) if (isSidecar(container)) add(container.ports);
  return ports;
}

/** True when both cannot be on one node. */
export function hostPortsConflict(a: HostPort, b: HostPort): boolean {
  if (a.hostPort !== b.hostPort || a.protocol !== b.protocol) return false;
  return isAny(a.hostIP) || isAny(b.hostIP) || a.hostIP === b.hostIP;
}

function isAny(ip: string): boolean {
  return ip === '' || ip === '0.0.0.0';
}

/** The number of the container port that `targetPort` of a service means in this pod; undefined when it has no such port. */
export function resolveContainerPort(pod: V1Pod, targetPort: number | string, protocol: string): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  for (const container of containers) {
    for (const port of container.ports ?? []) if (port.name === targetPort && (port.protocol ?? 'TCP') === protocol) return port.containerPort;
  }
  return undefined;
}
