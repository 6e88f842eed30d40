import type { V1PodSpec } from '../../generated/types.js';
import { goForm } from '../../helpers/go-form.js';

/** A pod's spec as upstream's messages print it: in its internal form the security context has the host's namespaces too. */
export function internalSpec(spec: V1PodSpec): object {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers, securityContext } = spec;
  const namespaces = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  const used = securityContext !== undefined || Object.values(namespaces).some((value) => value !== undefined);
  return goForm(used ? { ...spec, securityContext: { ...securityContext, ...namespaces } } : spec, 'PodSpec');
}
