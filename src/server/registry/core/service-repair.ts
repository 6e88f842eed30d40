import type { V1IPAddress, V1Service } from '../../../api/generated/types.js';
import { IP_ADDRESSES, SERVICES } from '../../../api/resource-refs.js';
import { formatIp, parseIp } from '../../../base/net/ip.js';
import type { Compare, WriteOperation } from '../../../storage/index.js';
import type { PostStartHook, ServerContext } from '../../server-context.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { ipAddressFor, isManagedAddress } from './service-addresses.js';
import { NODE_PORT_PREFIX, nodePortsOf } from './service-node-ports.js';

/**
 * Brings allocations and services together after something else than this program wrote to the store: each correction is a
 * transaction that holds only while nobody else changes the allocation.
 */
export const repairServiceAllocations: PostStartHook = {
  name: 'start-service-ip-repair-controllers',
  run: async (context) => {
    await repairNodePorts(context);
    await repairAddresses(context);
  },
};

async function repairNodePorts(context: ServerContext): Promise<void> {
  const { kvs } = await context.store.range({ start: NODE_PORT_PREFIX, end: `${NODE_PORT_PREFIX.slice(0, -1)}0` });
  // Read after the keys: a service that took one of them since is in the view, since both are written at once.
  const owners = new Map<string, V1Service>();
  for (const service of context.view.list(SERVICES)) for (const port of nodePortsOf(service)) owners.set(String(port), service);
  const held = new Set(kvs.map((kv) => kv.key.slice(NODE_PORT_PREFIX.length)));
  for (const kv of kvs) {
    const port = kv.key.slice(NODE_PORT_PREFIX.length);
    if (owners.has(port) || (await isStored(context, parseOwner(kv.value)))) continue;
    await correct(context, { key: kv.key, modRevision: kv.modRevision }, { type: 'delete', key: kv.key });
    context.log.info('released a node port that no service has', { port });
  }
  for (const [port, service] of owners) {
    if (held.has(port)) continue;
    const key = NODE_PORT_PREFIX + port;
    const { namespace = '', name = '' } = service.metadata ?? {};
    await correct(context, { key, modRevision: 0 }, { type: 'put', key, value: Buffer.from(JSON.stringify({ namespace, name })) });
  }
}

/** With a shared store the view may be behind, so that the store itself is asked before anything is released. */
async function isStored(context: ServerContext, owner: { namespace: string; name: string } | undefined): Promise<boolean> {
  if (!owner || !context.store.capabilities.shared) return false;
  return (await context.store.get(context.storeKey(SERVICES, owner.namespace, owner.name))).kv !== undefined;
}

function parseOwner(value: Buffer): { namespace: string; name: string } | undefined {
  try {
    const { namespace, name } = JSON.parse(value.toString()) as { namespace?: unknown; name?: unknown };
    return typeof namespace === 'string' && typeof name === 'string' ? { namespace, name } : undefined;
  } catch {
    return undefined;
  }
}

async function repairAddresses(context: ServerContext): Promise<void> {
  const wanted = new Map<string, V1Service>();
  for (const service of context.view.list(SERVICES)) {
    if (service.spec?.type === 'ExternalName') continue;
    for (const text of service.spec?.clusterIPs ?? []) {
      const address = parseIp(text);
      if (address) wanted.set(formatIp(address), service);
    }
  }
  for (const object of context.view.list(IP_ADDRESSES)) {
    if (isManagedAddress(object) && !wanted.has(object.metadata?.name ?? '')) await releaseAddress(context, object);
  }
  for (const [ip, service] of wanted) {
    if (context.view.get(IP_ADDRESSES, '', ip)) continue;
    const { namespace = '', name = '' } = service.metadata ?? {};
    const object = ipAddressFor({ namespace, name }, parseIp(ip)!, context.random.uuid(), timestamp(context.clock.now()));
    const key = context.storeKey(IP_ADDRESSES, '', ip);
    await correct(context, { key, modRevision: 0 }, { type: 'put', key, value: context.encodeForStore(IP_ADDRESSES, object) });
  }
}

async function releaseAddress(context: ServerContext, object: V1IPAddress): Promise<void> {
  const parent = object.spec?.parentRef;
  if (await isStored(context, { namespace: parent?.namespace ?? '', name: parent?.name ?? '' })) return;
  const name = object.metadata?.name ?? '';
  const key = context.storeKey(IP_ADDRESSES, '', name);
  await correct(context, { key, modRevision: Number(object.metadata?.resourceVersion ?? 0) }, { type: 'delete', key });
  context.log.info('released a cluster IP that no service has', { ip: name });
}

async function correct(context: ServerContext, compare: Compare, write: WriteOperation): Promise<void> {
  await context.store.transact([compare], [write]);
}
