import { KubeError } from '../../base/errors.js';
import type { Commands } from '../../base/process/commands.js';
import type { Client } from '../../client/index.js';
import { createNativeNode, type MakeNodeParts } from '../../node/index.js';
import type { RunEnvironment } from '../environment.js';
import type { NodeSettings } from '../options.js';
import { HOST_ADDRESS_RANGE } from './address-pool.js';
import { dnsServiceAddress, type NativeSettings } from './native-settings.js';
import { readRegistryConfig } from './registry-config.js';

/** The parts of this host's node. */
export function nativeNodeParts(client: Client, settings: NodeSettings, native: NativeSettings, environment: RunEnvironment): MakeNodeParts {
  const { clock, random, log } = environment;
  const { addresses, host } = native;
  return async (node, { references }) =>
    createNativeNode(
      {
        host,
        nodeName: node.name,
        clusterCidr: addresses.clusterCidr,
        serviceClusterIpRange: addresses.serviceClusterIpRange,
        hostAddress: addresses.hostAddress,
        hostAddressRange: HOST_ADDRESS_RANGE,
        clusterDns: [dnsServiceAddress(addresses.serviceClusterIpRange)],
        clusterDomain: settings.clusterDomain,
        maxPods: settings.maxPods,
        cni: settings.cni,
        ...(await readRegistryConfig(settings.registryConfig)),
      },
      { client, commands: commandsOf(environment), references, clock, random, log },
    );
}

/** The commands of an environment for native containers. */
export function commandsOf(environment: RunEnvironment): Commands {
  if (!environment.commands) throw new KubeError('KUBE_NO_COMMANDS', 'native containers need a way to run programs of the host');
  return environment.commands;
}
