import type { Component } from '../../base/component.js';
import { createInformerFactory, type Client } from '../../client/index.js';
import { createClusterDns } from '../../dns/index.js';
import { createServiceProxy } from '../../proxy/index.js';
import { createEventRecorder } from '../../reconcile/index.js';
import type { RunEnvironment } from '../environment.js';
import { commandsOf } from './native-node.js';
import { dnsServiceAddress, type NativeSettings } from './native-settings.js';

/** The service proxy of this host's node. */
export function makeServiceProxy(client: Client, native: NativeSettings, environment: RunEnvironment): Component {
  const { clock, random, metrics } = environment;
  const log = environment.log.child({ component: 'proxy' });
  const informers = createInformerFactory({ client, clock, random, log });
  const recorder = createEventRecorder({ client, component: 'kube-proxy', clock, random, log });
  const proxy = createServiceProxy(
    {
      table: `${native.host.tablePrefix}-services`,
      nodeName: native.nodeName,
      nodeIps: [native.nodeIp],
      clusterCidr: native.addresses.clusterCidr,
      serviceClusterIpRange: native.addresses.serviceClusterIpRange,
      interfacePrefix: native.host.interfacePrefix,
    },
    { client, informers, commands: commandsOf(environment), clock, random, log, metrics, recorder },
  );
  return {
    name: 'proxy',
    start: (signal) => proxy.start(signal),
    async stop(deadlineMilliseconds) {
      await proxy.stop(deadlineMilliseconds);
      await recorder.stop(deadlineMilliseconds);
      await informers.stop();
    },
  };
}

/** The cluster's DNS, on this host's address inside the cluster. */
export function makeClusterDns(client: Client, clusterDomain: string, native: NativeSettings, environment: RunEnvironment): Component {
  const { clock, random, metrics } = environment;
  const log = environment.log.child({ component: 'dns' });
  const informers = createInformerFactory({ client, clock, random, log });
  const dns = createClusterDns(
    { address: native.addresses.hostAddress, port: 0, clusterDomain, serviceAddress: dnsServiceAddress(native.addresses.serviceClusterIpRange) },
    { client, informers, clock, random, log, metrics },
  );
  return {
    name: 'dns',
    start: (signal) => dns.start(signal),
    async stop(deadlineMilliseconds) {
      await dns.stop(deadlineMilliseconds);
      await informers.stop();
    },
  };
}
