import { Action } from '../framework/cluster-event.js';
import type { FilterPlugin } from '../framework/plugin.js';
import { unresolvable } from '../framework/rejection.js';

const NAME = 'NodeName';
const REJECTION = unresolvable(NAME, "node(s) didn't match the requested node name");

/** A pod that names its node fits only there. */
export const nodeNamePlugin: FilterPlugin = {
  name: NAME,
  interests: [{ resource: 'Node', actions: Action.Add }],
  prepareFilter: ({ pod }) => {
    const wanted = pod.spec?.nodeName;
    return wanted ? { filter: (node) => (node.name === wanted ? undefined : REJECTION) } : undefined;
  },
};
