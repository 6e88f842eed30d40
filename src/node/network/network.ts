import { errorMessage, KubeError } from '../../base/errors.js';
import { parseBandwidth } from './bandwidth.js';
import { AddressPool } from './address-pool.js';
import { cniAttachment } from './cni/attachment.js';
import { addCni, checkCni, cniAddresses, deleteCni } from './cni/chain.js';
import { loadCniNetwork, type CniNetwork } from './cni/config.js';
import { openFirewall } from './firewall/firewall.js';
import { ensureHostAddress, labelledAddresses } from './host-address.js';
import { hasAddress, readHostFacts, sourceAddress, uplinkMtu, type HostFacts } from './host-facts.js';
import { answersOnLoopback, collide, describeHostPort, toHostPorts, type HostPort } from './host-ports.js';
import { chooseInterfaceName, randomMac } from './interface-name.js';
import { KeyedQueue } from './keyed-queue.js';
import { NETWORK_FAILED, type PodNetworkOptions, type PodNetworkTools } from './options.js';
import type { AttachedNetwork, NetworkRequest, PodNetwork } from './pod-network.js';
import { PodsTable } from './pods-table.js';
import { ipv4Block, overlap } from './ranges.js';
import { RecordFolder, recordFolder, type NetworkRecord } from './records.js';
import type { RulesetState } from './ruleset.js';
import { enableForwarding } from './sysctls.js';
import { allowLoopback, bringUpLoopback, createVethPair, limitBandwidth, namespaceExists, removeInterfaces, routeLines } from './veth.js';

/** Name of the pods' nftables table below the cluster's prefix. */
const TABLE = 'pods';
/** Others load their filters anew at times; they are looked at when a pod begins, but not more often than this. */
const FIREWALL_MILLISECONDS = 60_000;
const CNI_FOLDERS = ['/opt/cni/bin', '/usr/lib/cni'];
const CNI_CONFIGURATION = '/etc/cni/net.d';

/** The network of the pods of one node: routed pairs of interfaces, or CNI plugins where they are configured. */
export function createPodNetwork(options: PodNetworkOptions, tools: PodNetworkTools): PodNetwork {
  return new RoutedPodNetwork(options, tools);
}

class RoutedPodNetwork implements PodNetwork {
  private readonly records = new Map<string, NetworkRecord>();
  /** Sandboxes whose network is complete. */
  private readonly complete = new Set<string>();
  private readonly pool = new AddressPool();
  private readonly folder: RecordFolder;
  private readonly queue = new KeyedQueue();
  private readonly table: PodsTable;
  private readonly serviceRange: ReturnType<typeof ipv4Block>;
  private podCidr: { readonly given: string; readonly ipv4: string } | undefined;
  private mtu = 0;
  private source: string | undefined;
  private exempt: string | undefined;
  private started = false;
  private advice: readonly string[] = [];
  private usesPlugins = false;
  private pluginError: string | undefined;
  private firewallSeen = 0;

  constructor(private readonly options: PodNetworkOptions, private readonly tools: PodNetworkTools) {
    const { host } = options;
    this.folder = new RecordFolder(recordFolder(host.stateFolder));
    this.serviceRange = ipv4Block(options.serviceClusterIpRange, 'service cluster IP range');
    const settings = { table: `${host.tablePrefix}-${TABLE}`, interfacePrefix: host.interfacePrefix, clusterCidr: ipv4Block(options.clusterCidr, 'cluster CIDR').text };
    this.table = new PodsTable(tools.commands, settings, () => this.rulesetState());
  }

  async start(live: ReadonlySet<string>): Promise<void> {
    const { commands } = this.tools;
    const { host, hostAddress, mtu } = this.options;
    const [{ records, lastAddress }, facts] = await Promise.all([this.folder.load({ clean: true }), readHostFacts(commands), enableForwarding(host, this.tools)]);
    if (lastAddress !== undefined) this.pool.resumeAfter(lastAddress);
    const missing = hostAddress !== undefined && !hasAddress(facts, hostAddress);
    if (missing) await ensureHostAddress(host, hostAddress, commands);
    // Where the address is one of the host's usual ones, host ports belong there too.
    const own = hostAddress !== undefined && (missing || labelledAddresses(host, facts).includes(hostAddress)) ? hostAddress : undefined;
    this.exempt = this.options.hostAddressRange ?? own;
    this.mtu = mtu ?? uplinkMtu(facts);
    this.source = hostAddress ?? sourceAddress(facts);
    for (const record of records) {
      if (!live.has(record.sandboxId) || record.ips.length === 0) {
        await this.forget(record);
        continue;
      }
      this.records.set(record.sandboxId, record);
      if (record.veth) for (const ip of record.ips) this.pool.reserve(ip);
    }
    await this.adoptInterfaces(facts);
    await this.loadPlugins().catch((error: unknown) => this.tools.log.warn('CNI configuration is wrong', { error: errorMessage(error) }));
    await Promise.all([this.table.replace(), this.lookAtFirewall()]);
    for (const id of this.records.keys()) this.complete.add(id);
    this.started = true;
  }

  async setPodCidr(podCidr: string): Promise<void> {
    if (this.podCidr?.given === podCidr) return;
    const range = ipv4Block(podCidr, 'pod CIDR');
    if (overlap(range.block, this.serviceRange.block)) throw new KubeError(NETWORK_FAILED, `pod CIDR ${range.text} overlaps the service cluster IP range ${this.serviceRange.text}`);
    this.pool.setRange(range);
    this.podCidr = { given: podCidr, ipv4: range.text };
    if (this.started) await this.table.replace();
  }

  attach(request: NetworkRequest): Promise<AttachedNetwork> {
    return this.queue.run(request.sandboxId, async () => {
      const present = this.attached(request.sandboxId);
      if (present) return present;
      // Of an attempt to end it that failed.
      const rest = this.records.get(request.sandboxId);
      if (rest) await this.undo(rest);
      if (!this.started) throw new KubeError(NETWORK_FAILED, 'the pod network has not been started');
      this.lookAtFirewallSometimes();
      const before = this.usesPlugins;
      const network = await this.loadPlugins();
      if (before !== this.usesPlugins) await this.table.replace();
      const ips = network ? await this.attachByPlugins(network, request) : await this.attachRouted(request);
      this.complete.add(request.sandboxId);
      return { ips };
    });
  }

  detach(sandboxId: string): Promise<void> {
    return this.queue.run(sandboxId, async () => {
      const record = this.records.get(sandboxId);
      if (!record) return;
      this.complete.delete(sandboxId);
      await this.undo(record);
    });
  }

  attached(sandboxId: string): AttachedNetwork | undefined {
    const record = this.complete.has(sandboxId) ? this.records.get(sandboxId) : undefined;
    return record && { ips: record.ips };
  }

  async repair(): Promise<boolean> {
    return this.started && (await this.table.check());
  }

  status(): { readonly ready: boolean; readonly message: string } {
    if (!this.started) return { ready: false, message: 'the pod network has not been started' };
    if (!this.podCidr) return { ready: false, message: 'the node has no pod CIDR yet' };
    if (this.pluginError !== undefined) return { ready: false, message: this.pluginError };
    return { ready: true, message: this.advice.join('; ') };
  }

  private async loadPlugins(): Promise<CniNetwork | undefined> {
    if (this.options.cni === 'never') return undefined;
    try {
      const network = await loadCniNetwork(this.options.cniConfDir ?? CNI_CONFIGURATION);
      this.usesPlugins = network !== undefined;
      this.pluginError = undefined;
      return network;
    } catch (error) {
      this.pluginError = errorMessage(error);
      throw error;
    }
  }

  private async attachRouted(request: NetworkRequest): Promise<readonly string[]> {
    const { random } = this.tools;
    const bandwidth = parseBandwidth(request.annotations);
    const hostPorts = toHostPorts(request.portMappings);
    this.refuseCollisions(hostPorts);
    const address = this.pool.take();
    const taken = new Set([...this.records.values()].flatMap((record) => (record.veth ? [record.veth.interfaceName] : [])));
    const { sandboxId, podUid, podName, podNamespace, namespacePath } = request;
    const record: NetworkRecord = {
      sandboxId, podUid, podName, podNamespace, namespacePath, ips: [address], hostPorts, bandwidth,
      veth: { interfaceName: chooseInterfaceName(this.options.host.interfacePrefix, sandboxId, taken), hostMac: randomMac(random), podMac: randomMac(random) },
    };
    // Address, name and ports are taken from here on, before anything waits.
    this.records.set(sandboxId, record);
    try {
      // A record is written only for what is complete: the next start removes interfaces and elements that have none.
      await this.plumb(record);
      if (hostPorts.length > 0) {
        await this.table.add({ address, ports: hostPorts });
        await this.forgetUdpFlows(hostPorts, (port) => ['--orig-port-dst', String(port.hostPort)]);
      }
      await Promise.all([this.folder.save(record), this.folder.saveLastAddress(address)]);
    } catch (error) {
      await this.undo(record).catch((failure: unknown) => this.tools.log.warn('network of a sandbox that failed could not be removed', { sandbox: sandboxId, error: errorMessage(failure) }));
      throw error;
    }
    return record.ips;
  }

  private async attachByPlugins(network: CniNetwork, request: NetworkRequest): Promise<readonly string[]> {
    const { commands } = this.tools;
    const { sandboxId, podUid, podName, podNamespace, namespacePath } = request;
    const bandwidth = parseBandwidth(request.annotations);
    const attachment = cniAttachment(network, this.options.cniBinDirs ?? CNI_FOLDERS, request, bandwidth, this.podCidr?.given);
    // Written down first: what plugins leave behind after a crash only they can remove.
    const pending: NetworkRecord = { sandboxId, podUid, podName, podNamespace, namespacePath, ips: [], hostPorts: [], bandwidth, cni: attachment };
    await this.folder.save(pending);
    this.records.set(sandboxId, pending);
    try {
      await bringUpLoopback(commands, namespacePath);
      const added = await addCni(commands, attachment);
      const record: NetworkRecord = { ...pending, cni: added, ips: cniAddresses(added.result) };
      this.records.set(sandboxId, record);
      if (record.ips.length === 0) throw new KubeError(NETWORK_FAILED, `CNI network ${network.name}: its plugins gave the pod no address`);
      await this.folder.save(record);
      return record.ips;
    } catch (error) {
      await this.undo(this.records.get(sandboxId)!).catch(() => undefined);
      throw error;
    }
  }

  /** Makes a record's interfaces; what of it fails leaves nothing on the host. */
  private async plumb(record: NetworkRecord): Promise<void> {
    const { commands } = this.tools;
    const { veth, ips, namespacePath, bandwidth, hostPorts } = record;
    const pair = { ...veth!, address: ips[0]!, namespacePath, mtu: this.mtu };
    try {
      await createVethPair(commands, { ...pair, source: this.source });
    } catch (error) {
      // The host's addresses may be others than at the start.
      const source = this.options.hostAddress ?? sourceAddress(await readHostFacts(commands));
      if (source === this.source) throw error;
      this.source = source;
      await createVethPair(commands, { ...pair, source });
    }
    try {
      if (hostPorts.some(answersOnLoopback)) await allowLoopback(commands, pair.interfaceName);
      await limitBandwidth(commands, pair, bandwidth);
    } catch (error) {
      await removeInterfaces(commands, [pair.interfaceName]);
      throw error;
    }
  }

  /** Ends what a record stands for; the record goes last, so that whatever was cut off is done again. */
  private async undo(record: NetworkRecord): Promise<void> {
    const { commands } = this.tools;
    if (record.cni) await deleteCni(commands, record.cni);
    if (record.veth) await removeInterfaces(commands, [record.veth.interfaceName]);
    this.records.delete(record.sandboxId);
    if (record.hostPorts.length > 0) {
      try {
        await this.table.remove({ address: record.ips[0]!, ports: record.hostPorts });
      } catch (error) {
        this.records.set(record.sandboxId, record);
        throw error;
      }
      await this.forgetUdpFlows(record.hostPorts, () => ['--dst-nat', record.ips[0]!]);
    }
    await this.folder.remove(record.sandboxId);
    if (record.veth) for (const ip of record.ips) this.pool.release(ip);
  }

  /** Of a sandbox that is no more: interfaces and elements go with all that have no record. */
  private async forget(record: NetworkRecord): Promise<void> {
    const { commands, log } = this.tools;
    if (record.cni) {
      try {
        await deleteCni(commands, record.cni);
      } catch (error) {
        log.warn('CNI plugins could not remove a sandbox that is gone', { sandbox: record.sandboxId, error: errorMessage(error) });
        return;
      }
    }
    await this.folder.remove(record.sandboxId);
    this.records.delete(record.sandboxId);
    this.complete.delete(record.sandboxId);
    if (record.veth) for (const ip of record.ips) this.pool.release(ip);
  }

  private async adoptInterfaces(facts: HostFacts): Promise<void> {
    const { commands, log } = this.tools;
    const { interfacePrefix } = this.options.host;
    const present = new Set(facts.interfaces.map((item) => item.ifname).filter((name) => name.startsWith(interfacePrefix)));
    const routed = [...this.records.values()].filter((record) => record.veth);
    const wanted = new Set(routed.map((record) => record.veth!.interfaceName));
    await removeInterfaces(commands, [...present].filter((name) => !wanted.has(name)));
    const lines = routed.filter((record) => present.has(record.veth!.interfaceName)).flatMap((record) => routeLines({ ...record.veth!, address: record.ips[0]!, source: this.source }));
    if (lines.length > 0) {
      const result = await commands.run('ip', ['-force', '-batch', '-'], { input: `${lines.join('\n')}\n` });
      if (result.code !== 0) log.warn('routes to pods could not be renewed', { error: result.stderr.toString().trim() });
    }
    for (const record of routed.filter((item) => !present.has(item.veth!.interfaceName))) {
      try {
        if (await namespaceExists(record.namespacePath)) await this.plumb(record);
        else log.warn('a sandbox has no network namespace any more', { sandbox: record.sandboxId });
      } catch (error) {
        log.warn('interface of a sandbox could not be made again', { sandbox: record.sandboxId, error: errorMessage(error) });
      }
    }
    for (const { cni, sandboxId } of this.records.values()) {
      if (cni) await checkCni(commands, cni).catch((error: unknown) => log.warn('CNI plugins find a sandbox changed', { sandbox: sandboxId, error: errorMessage(error) }));
    }
  }

  private rulesetState(): RulesetState {
    const routed = [...this.records.values()].filter((record) => record.veth);
    return {
      ...(this.exempt === undefined ? {} : { exempt: this.exempt }),
      // What plugins make they masquerade themselves, or not.
      sources: [...(this.podCidr && !this.usesPlugins ? [this.podCidr.ipv4] : []), ...routed.flatMap((record) => record.ips)],
      hostPorts: routed.filter((record) => record.hostPorts.length > 0).map((record) => ({ address: record.ips[0]!, ports: record.hostPorts })),
    };
  }

  private refuseCollisions(hostPorts: readonly HostPort[]): void {
    if (hostPorts.length === 0) return;
    for (const record of this.records.values()) {
      const both = hostPorts.find((port) => record.hostPorts.some((other) => collide(port, other)));
      if (both) throw new KubeError(NETWORK_FAILED, `host port ${describeHostPort(both)} is in use by pod ${record.podNamespace}/${record.podName}`);
    }
  }

  /** The kernel goes on sending datagrams of known flows where they went before. Without the `conntrack` program they end by themselves when idle. */
  private async forgetUdpFlows(ports: readonly HostPort[], match: (port: HostPort) => string[]): Promise<void> {
    const matches = new Map(ports.filter((port) => port.protocol === 'udp').map((port) => [match(port).join(' '), match(port)]));
    for (const args of matches.values()) await this.tools.commands.run('conntrack', ['-D', '-p', 'udp', ...args]).catch(() => undefined);
  }

  private lookAtFirewallSometimes(): void {
    if (this.tools.clock.monotonic() - this.firewallSeen < FIREWALL_MILLISECONDS) return;
    void this.lookAtFirewall();
  }

  private async lookAtFirewall(): Promise<void> {
    const { commands, clock, log } = this.tools;
    this.firewallSeen = clock.monotonic();
    try {
      const { opened, advice } = await openFirewall(this.options.host, this.options.hostAddress, commands);
      if (opened.length > 0) log.debug('filters of others let pods through', { chains: opened });
      for (const line of advice) if (!this.advice.includes(line)) log.warn('a filter of others drops packets of pods', { advice: line });
      this.advice = advice;
    } catch (error) {
      log.warn('filters of others could not be read', { error: errorMessage(error) });
    }
  }
}
