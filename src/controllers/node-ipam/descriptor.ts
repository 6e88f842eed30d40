import type { V1Node } from '../../api/generated/types.js';
import { NODES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { CidrSet } from './cidr-set.js';

/** A node that got nothing tries again after this long, or when another one gives its part back. */
const EXHAUSTED_MILLISECONDS = 60_000;

/** Gives each node a part of the pods' range (`spec.podCIDR`). */
export const nodeIpamController: ControllerDescriptor = {
  name: 'node-ipam-controller',
  serviceAccount: 'node-controller',
  enabledByDefault: true,
  start: (context) => {
    const { options, client, log } = context;
    const recorder = context.recorder.withComponent('cidrAllocator');
    const queue = controllerQueue(context, 'node-ipam');
    const nodes = context.informers.informer(NODES);
    const cidrs = new CidrSet(options.clusterCidr, options.nodeCidrMaskSize);
    const see = (node: V1Node): void => {
      if (node.spec?.podCIDR) cidrs.occupy(node.spec.podCIDR);
      else if (options.allocateNodeCidrs) queue.add(node.metadata?.name ?? '');
    };
    /** Nodes that got nothing because all parts are taken; they come again when one is given back. */
    const waiting = new Set<string>();
    const cleanup = [
      nodes.addHandler({
        add: see,
        update: see,
        delete: (node) => {
          waiting.delete(node.metadata?.name ?? '');
          if (!node.spec?.podCIDR) return;
          cidrs.release(node.spec.podCIDR);
          for (const name of waiting) queue.add(name);
          waiting.clear();
        },
      }),
    ];
    return controllerLoop(context, queue, {
      name: 'node-ipam',
      workers: 16,
      // No part is given away before every node that has one was seen.
      informers: [nodes],
      cleanup,
      reconcile: async (name) => {
        const node = nodes.get('', name);
        if (!node || node.spec?.podCIDR || node.metadata?.deletionTimestamp) return undefined;
        const cidr = cidrs.allocate();
        if (cidr === undefined) {
          recorder.event(node, 'Normal', 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`);
          if (waiting.size === 0) log.warn('no part of the range of pod addresses is left', { range: options.clusterCidr, node: name });
          waiting.add(name);
          return { requeueAfterMilliseconds: EXHAUSTED_MILLISECONDS };
        }
        waiting.delete(name);
        try {
          await client.resource(NODES).patch('', name, 'strategic', { metadata: { uid: node.metadata?.uid }, spec: { podCIDR: cidr, podCIDRs: [cidr] } });
        } catch (error) {
          cidrs.release(cidr);
          if (!StatusError.is(error, 'NotFound')) throw error;
        }
        return undefined;
      },
    });
  },
};
