import type { V1Pod } from '../../api/generated/types.js';
import { hostPorts } from '../../api/helpers/pod-containers.js';
import type { PodSandboxConfig } from '../runtime/index.js';

const NO_ANNOTATIONS: Readonly<Record<string, string>> = Object.freeze({});
/** Longest host name that Linux takes. */
const MAX_HOSTNAME = 63;

/** The configuration of a pod's sandbox. */
export function sandboxConfig(pod: V1Pod, attempt: number): PodSandboxConfig {
  const { metadata, spec } = pod;
  const ports = spec ? hostPorts(spec) : [];
  return {
    metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '', attempt },
    hostname: podHostname(pod),
    logDirectory: '',
    labels: metadata?.labels ?? NO_ANNOTATIONS,
    annotations: metadata?.annotations ?? NO_ANNOTATIONS,
    ...(ports.length > 0
      ? { portMappings: ports.map((port) => ({ protocol: port.protocol, containerPort: containerPortOf(pod, port.hostPort), hostPort: port.hostPort, hostIp: port.hostIP })) }
      : {}),
    hostNetwork: spec?.hostNetwork === true,
    hostPid: spec?.hostPID === true,
    hostIpc: spec?.hostIPC === true,
    shareProcessNamespace: spec?.shareProcessNamespace === true,
    ...(spec?.securityContext ? { securityContext: spec.securityContext } : {}),
    cgroupParent: '',
  };
}

/** `spec.hostname`, or the pod's name, cut to what a kernel takes. */
export function podHostname(pod: V1Pod): string {
  const name = pod.spec?.hostnameOverride ?? pod.spec?.hostname ?? pod.metadata?.name ?? '';
  return name.length <= MAX_HOSTNAME ? name : name.slice(0, MAX_HOSTNAME).replace(/[-.]+$/, '');
}

function containerPortOf(pod: V1Pod, hostPort: number): number {
  for (const container of pod.spec?.containers ?? []) {
    for (const port of container.ports ?? []) if (port.hostPort === hostPort) return port.containerPort;
  }
  return hostPort;
}
