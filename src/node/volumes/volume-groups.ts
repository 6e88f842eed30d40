import type { PodSandboxConfig } from '../runtime/index.js';

/** A sandbox's configuration whose processes also have the groups that the pod's persistent volumes give them. */
export function withVolumeGroups(config: PodSandboxConfig, groups: readonly number[]): PodSandboxConfig {
  if (groups.length === 0) return config;
  const { securityContext } = config;
  return { ...config, securityContext: { ...securityContext, supplementalGroups: [...new Set([...(securityContext?.supplementalGroups ?? []), ...groups])] } };
}
