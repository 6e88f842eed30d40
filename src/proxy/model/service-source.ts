import type { V1EndpointSlice, V1Node, V1Service } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, NODES, SERVICES } from '../../api/resource-refs.js';
import type { Informer, InformerFactory } from '../../client/index.js';

const SERVICE_NAME = 'kubernetes.io/service-name';
const PROXY_NAME = 'service.kubernetes.io/service-proxy-name';
const HEADLESS = 'service.kubernetes.io/headless';
const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';
const ZONE = 'topology.kubernetes.io/zone';

/** Called for each change that a source sees. */
export interface SourceListener {
  serviceChanged(): void;
  endpointsChanged(): void;
  /** Always after one of the others, and when the node's zone changed. */
  changed(): void;
}

/** What the API says about services, as one stream of keys `namespace/name` that have to be looked at. */
export class ServiceSource {
  private readonly services: Informer<V1Service>;
  private readonly slices: Informer<V1EndpointSlice>;
  private readonly nodes: Informer<V1Node>;
  private readonly slicesByService = new Map<string, Map<string, V1EndpointSlice>>();
  private readonly dirty = new Set<string>();
  private readonly triggers: number[] = [];
  private readonly undo: (() => void)[];
  /** The zone of this node; empty: none is known. */
  zone = '';

  constructor(informers: InformerFactory, private readonly nodeName: string, private readonly listener: SourceListener) {
    this.services = informers.informer(SERVICES);
    this.slices = informers.informer(ENDPOINT_SLICES);
    this.nodes = informers.informer(NODES, { fieldSelector: `metadata.name=${nodeName}` });
    const service = (object: V1Service): void => {
      listener.serviceChanged();
      this.mark(keyOf(object.metadata?.namespace, object.metadata?.name));
    };
    const node = (object: V1Node): void => this.seeNode(object);
    this.undo = [
      this.services.addHandler({ add: service, update: service, delete: service }),
      this.slices.addHandler({
        add: (slice, initial) => this.seeSlice(slice, initial ? undefined : triggerTime(slice)),
        update: (slice, previous) => {
          if (keyOfSlice(previous) !== keyOfSlice(slice)) this.loseSlice(previous);
          this.seeSlice(slice, triggerTime(slice) === triggerTime(previous) ? undefined : triggerTime(slice));
        },
        delete: (slice) => this.loseSlice(slice),
      }),
      this.nodes.addHandler({ add: node, update: node }),
    ];
  }

  /** Resolves when services, slices and the node are known. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([this.services.whenSynced(signal), this.slices.whenSynced(signal), this.nodes.whenSynced(signal)]);
  }

  service(key: string): V1Service | undefined {
    const slash = key.indexOf('/');
    return this.services.get(key.slice(0, slash), key.slice(slash + 1));
  }

  all(): readonly V1Service[] {
    return this.services.list();
  }

  slicesOf(key: string): readonly V1EndpointSlice[] {
    return [...(this.slicesByService.get(key)?.values() ?? [])];
  }

  get hasChanges(): boolean {
    return this.dirty.size > 0;
  }

  /** The keys that changed since the last call, and when (milliseconds since 1970) the changes of their pods or services happened, as far as known. */
  take(): { readonly keys: readonly string[]; readonly triggers: readonly number[] } {
    const taken = { keys: [...this.dirty], triggers: [...this.triggers] };
    this.dirty.clear();
    this.triggers.length = 0;
    return taken;
  }

  stop(): void {
    for (const undo of this.undo) undo();
  }

  private mark(key: string): void {
    this.dirty.add(key);
    this.listener.changed();
  }

  private seeSlice(slice: V1EndpointSlice, trigger: number | undefined): void {
    const key = keyOfSlice(slice);
    if (key === undefined) return;
    this.listener.endpointsChanged();
    let slices = this.slicesByService.get(key);
    if (!slices) this.slicesByService.set(key, (slices = new Map<string, V1EndpointSlice>()));
    slices.set(slice.metadata?.name ?? '', slice);
    if (trigger !== undefined) this.triggers.push(trigger);
    this.mark(key);
  }

  private loseSlice(slice: V1EndpointSlice): void {
    const key = keyOfSlice(slice);
    if (key === undefined) return;
    this.listener.endpointsChanged();
    const slices = this.slicesByService.get(key);
    slices?.delete(slice.metadata?.name ?? '');
    if (slices?.size === 0) this.slicesByService.delete(key);
    this.mark(key);
  }

  private seeNode(node: V1Node): void {
    const zone = node.metadata?.labels?.[ZONE] ?? '';
    if (node.metadata?.name !== this.nodeName || zone === this.zone) return;
    this.zone = zone;
    for (const service of this.all()) this.mark(keyOf(service.metadata?.namespace, service.metadata?.name));
  }
}

/** `namespace/name`. */
export function keyOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}

/** Key of the service that a slice belongs to; undefined for slices that this proxy leaves alone. */
function keyOfSlice({ metadata }: V1EndpointSlice): string | undefined {
  const labels = metadata?.labels;
  const name = labels?.[SERVICE_NAME];
  return name === undefined || name === '' || labels?.[PROXY_NAME] !== undefined || labels?.[HEADLESS] !== undefined ? undefined : keyOf(metadata?.namespace, name);
}

function triggerTime({ metadata }: V1EndpointSlice): number | undefined {
  const time = Date.parse(metadata?.annotations?.[TRIGGER_TIME] ?? '');
  return Number.isNaN(time) ? undefined : time;
}
