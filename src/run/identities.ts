import type { Client, Transport } from '../client/index.js';
import { createClient } from '../client/index.js';
import type { ApiServer } from '../server/index.js';
import { CLUSTER_DNS } from './native/dns-role.js';
import { NODE_AGENT } from './node-agent-role.js';

/** An identity in the form that the API server uses; the groups every one of them has are added. */
function user(name: string, groups: readonly string[] = []) {
  return { name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} };
}

/** In-process transports for the roles, each with the identity that it would have as a process of its own. */
export class InProcessIdentities {
  private readonly transports: Transport[] = [];

  constructor(private readonly server: ApiServer) {}

  get scheduler(): Client {
    return this.client(user('system:kube-scheduler'), 'kube-scheduler');
  }

  get controllerManager(): Client {
    return this.client(user('system:kube-controller-manager'), 'kube-controller-manager');
  }

  /** The node agent; it carries several nodes, so it has an identity and a role of its own. */
  get nodeAgent(): Client {
    return this.client(user(NODE_AGENT), 'kubelet');
  }

  /** A node of its own: the node authorizer lets it see what its pods need. */
  node(name: string): Client {
    return this.client(user(`system:node:${name}`, ['system:nodes']), 'kubelet');
  }

  get serviceProxy(): Client {
    return this.client(user('system:kube-proxy'), 'kube-proxy');
  }

  get clusterDns(): Client {
    return this.client(user(CLUSTER_DNS), 'cluster-dns');
  }

  get admin(): Client {
    return this.client(user('kubernetes-admin', ['system:masters']), 'kube');
  }

  serviceAccount(name: string): Client {
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];
    return this.client(user(`system:serviceaccount:kube-system:${name}`, groups), `kube-controller-manager/${name}`);
  }

  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
  }

  private client(identity: ReturnType<typeof user>, userAgent: string): Client {
    const transport = this.server.transport(identity, userAgent);
    this.transports.push(transport);
    return createClient(transport);
  }
}
