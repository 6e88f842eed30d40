import type { V1Pod } from '../../api/generated/types.js';
import { hostPortsOf, UsedPorts } from '../cache/host-ports.js';
import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { unschedulable } from '../framework/rejection.js';

const NAME = 'NodePorts';
const REJECTION = unschedulable(NAME, "node(s) didn't have free ports for the requested pod ports");

/** A node has each of its host ports only once per address and protocol. */
export const nodePortsPlugin: FilterPlugin = {
  name: NAME,
  interests: [
    {
      resource: 'Pod',
      actions: Action.Delete,
      hint: (pod, before) => {
        const deleted = before as V1Pod | undefined;
        if (!deleted?.spec?.nodeName && !deleted?.status?.nominatedNodeName) return false;
        const freed = UsedPorts.of(hostPortsOf(deleted));
        return hostPortsOf(pod).some((port) => freed.conflicts(port));
      },
    },
    { resource: 'Node', actions: Action.Add },
  ],
  prepareFilter: ({ hostPorts }) => {
    if (hostPorts.length === 0) return undefined;
    return {
      filter: ({ usedPorts }) => (usedPorts && hostPorts.some((port) => usedPorts.conflicts(port)) ? REJECTION : undefined),
    };
  },
};
