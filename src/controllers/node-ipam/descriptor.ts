import type { V1Node } from '../../api/generated/types.js';
import { NODES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import type { ControllerDescriptor } from '../controller.js';
import { controllerLoop, controllerQueue } from '../shared/controller-loop.js';
import { CidrSet } from './cidr-set.js';

/** Gives each node a part of the pods' range (`spec.podCIDR`). */
export const nodeIpamController: ControllerDescriptor = {
  name: 'node-ipam-controller',
  serviceAccount: 'node-controller',
  enabledByDefault: true,
  start: (context) => {
    const { options, client, recorder } = context;
    const queue = controllerQueue(context, 'node-ipam');
    const nodes = context.informers.informer(NODES);
    const cidrs = new CidrSet(options.clusterCidr, options.nodeCidrMaskSize);
    const see = (node: V1Node): void => {
      if (node.spec?.podCIDR) cidrs.occupy(node.spec.podCIDR);
      else if (options.allocateNodeCidrs) queue.add(node.metadata?.name ?? '');
    };
    const cleanup = [
      nodes.addHandler({
        add: see,
        update: see,
        delete: (node) => {
          if (node.spec?.podCIDR) cidrs.release(node.spec.podCIDR);
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
        if (!node || node.spec?.podCIDR || node.metadata?.deletionTimestamp) return;
        const cidr = cidrs.allocate();
        if (cidr === undefined) {
          recorder.event(node, 'Normal', 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`);
          throw new Error(`no part of ${options.clusterCidr} is left for node ${name}`);
        }
        try {
          await client.resource(NODES).patch('', name, 'strategic', { metadata: { uid: node.metadata?.uid }, spec: { podCIDR: cidr, podCIDRs: [cidr] } });
        } catch (error) {
          cidrs.release(cidr);
          if (!StatusError.is(error, 'NotFound')) throw error;
        }
      },
    });
  },
};
