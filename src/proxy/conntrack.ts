import { COMMAND_FAILED, type Commands } from '../base/process/commands.js';
import { runChecked } from '../base/process/run-checked.js';
import { errorCode, errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { EventLoopTurns } from '../reconcile/index.js';
import { portKey, type EndpointsByPort } from './model/endpoint.js';
import type { ServicePortInfo } from './model/service-port.js';

/** Where UDP flows to services may lead: `address:port` of serving endpoints by `address:port` that clients use. */
export type UdpTargets = Map<string, ReadonlySet<string>>;

/** Adds a service's UDP ports; those without a serving endpoint are left out, since there is nowhere to lead their flows to. */
export function addUdpTargets(targets: UdpTargets, ports: readonly ServicePortInfo[], endpoints: EndpointsByPort, nodeIps: readonly string[]): void {
  for (const port of ports) {
    if (port.protocol !== 'UDP') continue;
    const serving = servingUdp(port, endpoints);
    if (serving.size === 0) continue;
    for (const ip of [port.clusterIp, ...port.externalIps, ...port.loadBalancerIps]) targets.set(`${ip}:${port.port}`, serving);
    if (port.nodePort !== 0) for (const ip of nodeIps) targets.set(`${ip}:${port.nodePort}`, serving);
  }
}

/** `address:port` of the endpoints of a UDP port that serve, also those that terminate. */
export function servingUdp(port: ServicePortInfo, endpoints: EndpointsByPort): ReadonlySet<string> {
  return new Set((endpoints.get(portKey(port.name, port.protocol)) ?? []).flatMap((endpoint) => (endpoint.serving ? [`${endpoint.ip}:${endpoint.port}`] : [])));
}

/** A group of flows: `conntrack -D` takes these four. */
interface FlowGroup {
  readonly destination: string;
  readonly destinationPort: string;
  readonly replySource: string;
  readonly replySourcePort: string;
}

const FLOW = /src=\S+ dst=(\S+) sport=\d+ dport=(\d+) .*?src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;
const MAX_LISTING_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MILLISECONDS = 30_000;

/** The kernel's memory of UDP flows, through the program `conntrack`. */
export class ConntrackCleaner {
  private missing = false;

  constructor(private readonly commands: Commands, private readonly log: Logger) {}

  /**
   * Removes flows to services that lead to no serving endpoint: the kernel would go on sending a client's packets there as
   * long as they keep coming. Failures are logged; a missing program once. Returns the number of groups of flows removed.
   */
  async clean(targets: UdpTargets, turns: EventLoopTurns): Promise<number> {
    if (this.missing || targets.size === 0) return 0;
    try {
      const { stdout } = await runChecked(this.commands, 'conntrack', ['-L', '-f', 'ipv4', '-p', 'udp'], { maxOutputBytes: MAX_LISTING_BYTES, timeoutMilliseconds: TIMEOUT_MILLISECONDS });
      const groups = await staleFlows(stdout.toString('latin1'), targets, turns);
      for (const group of groups) await this.remove(group);
      return groups.length;
    } catch (error) {
      if (errorCode(error) === COMMAND_FAILED && errorMessage(error).startsWith('cannot run')) {
        this.missing = true;
        this.log.warn('UDP flows to endpoints that are gone are not cleared: the program conntrack cannot be run', { error: errorMessage(error) });
      } else {
        this.log.warn('UDP flows to endpoints that are gone could not be cleared', { error: errorMessage(error) });
      }
      return 0;
    }
  }

  private async remove({ destination, destinationPort, replySource, replySourcePort }: FlowGroup): Promise<void> {
    // Code 1 also says that the flow has ended meanwhile.
    await this.commands.run('conntrack', ['-D', '-f', 'ipv4', '-p', 'udp', '--orig-dst', destination, '--orig-port-dst', destinationPort, '--reply-src', replySource, '--reply-port-src', replySourcePort], { timeoutMilliseconds: TIMEOUT_MILLISECONDS });
  }
}

async function staleFlows(listing: string, targets: UdpTargets, turns: EventLoopTurns): Promise<readonly FlowGroup[]> {
  const found = new Map<string, FlowGroup>();
  for (let at = 0; at < listing.length;) {
    const end = listing.indexOf('\n', at);
    const line = listing.slice(at, end < 0 ? listing.length : end);
    at = end < 0 ? listing.length : end + 1;
    await turns.maybeYield();
    const [, destination, destinationPort, replySource, replySourcePort] = FLOW.exec(line) ?? [];
    if (destination === undefined || destinationPort === undefined || replySource === undefined || replySourcePort === undefined) continue;
    const target = `${replySource}:${replySourcePort}`;
    const serving = targets.get(`${destination}:${destinationPort}`);
    if (serving && !serving.has(target)) found.set(`${destination}:${destinationPort} ${target}`, { destination, destinationPort, replySource, replySourcePort });
  }
  return [...found.values()];
}
