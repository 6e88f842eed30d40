import type { Clock } from '../../base/clock.js';
import type { Codec } from '../../api/codec/codec.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { AheadEncoder } from './ahead-encoder.js';
import { EncodedCache } from './encoded-cache.js';
import { MetadataView } from './projected-view.js';
import { field, ProtobufView } from './protobuf-view.js';
import type { ResourceCache } from './resource-cache.js';
import { TableView, type IncludeObject } from './table-view.js';
import { VersionView } from './version-view.js';
import type { View } from './view.js';

/** A projection that a client may ask for in place of whole objects. */
export interface Projection {
  readonly kind: 'Table' | 'PartialObjectMetadata';
  /** `v1` or `v1beta1` of `meta.k8s.io`. */
  readonly version: string;
}

const METADATA_TAG = 0x0a;

/** Makes and keeps the views of all resources. */
export class Views {
  private readonly made = new WeakMap<ServedResource, Map<string, View>>();
  private readonly encoded = new EncodedCache();
  private readonly ends: (() => void)[] = [];
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly codec: Codec,
    /** The cache of a resource, so that objects which clients want in protobuf are encoded before they ask. */
    private readonly cacheOf?: (resource: ServedResource) => ResourceCache | undefined,
  ) {}

  /** `include` matters for tables alone; tables have no protobuf form. */
  get(resource: ServedResource, projection: Projection | undefined, include: IncludeObject, encoding: 'json' | 'protobuf' = 'json'): View {
    let ofResource = this.made.get(resource);
    if (!ofResource) this.made.set(resource, (ofResource = new Map()));
    const form = projection === undefined ? '' : projection.kind === 'Table' ? `${projection.version}/${include}` : projection.version;
    const key = encoding === 'json' ? form : `protobuf ${form}`;
    let view = ofResource.get(key);
    if (!view) {
      view = encoding === 'json' ? this.make(resource, projection, include) : this.makeProtobuf(resource, projection);
      ofResource.set(key, view);
    }
    return view;
  }

  private make(resource: ServedResource, projection: Projection | undefined, include: IncludeObject): View {
    if (projection === undefined) return this.versionView(resource);
    const apiVersion = `meta.k8s.io/${projection.version}`;
    if (projection.kind === 'PartialObjectMetadata') return new MetadataView(apiVersion);
    return new TableView(resource, apiVersion, include, this.get(resource, undefined, include), this.clock);
  }

  private versionView(resource: ServedResource): VersionView {
    const type = this.codec.schemas.kind(resource.kind);
    return new VersionView(resource, (object) => (type === undefined ? object : this.codec.forStorage(object, type)));
  }

  /** Begins to encode the objects of a resource as they are written, as it is done for all whose objects were asked for in protobuf once. */
  encodeAhead(resource: ServedResource): void {
    this.get(resource, undefined, 'None', 'protobuf');
  }

  private ahead(resource: ServedResource, view: ProtobufView): ProtobufView {
    const cache = this.cacheOf?.(resource);
    if (cache && !this.stopped) this.ends.push(new AheadEncoder(this.clock, (entry) => view.prepare(entry)).follow(cache));
    return view;
  }

  /** Ends what is done ahead; views go on. */
  stop(): void {
    this.stopped = true;
    for (const end of this.ends.splice(0)) end();
  }

  private makeProtobuf(resource: ServedResource, projection: Projection | undefined): View {
    const { codec, encoded } = this;
    if (projection === undefined) {
      const json = this.versionView(resource);
      const type = codec.schemas.kind(resource.kind);
      if (type === undefined) throw new TypeError(`${resource.kind.kind} has no protobuf form`);
      const listKind = { ...resource.kind, kind: `${resource.kind.kind}List` };
      return this.ahead(resource, new ProtobufView(
        { json, kind: resource.kind, listKind, itemsFirst: false, object: (entry) => json.objectForOnce(entry), message: (object) => codec.protobufMessage(object, type), block: (objects, tag) => codec.protobufBlock(objects, type, tag) },
        codec,
        encoded,
      ));
    }
    const { version } = projection;
    const kind = { group: 'meta.k8s.io', version, kind: 'PartialObjectMetadata' };
    const { objectMeta } = codec.schemas;
    return new ProtobufView(
      {
        json: new MetadataView(`meta.k8s.io/${version}`),
        kind,
        listKind: { ...kind, kind: 'PartialObjectMetadataList' },
        itemsFirst: version === 'v1beta1',
        object: (entry) => entry.objectForOnce,
        message: (object) => field(METADATA_TAG, codec.protobufMessage(object.metadata ?? {}, objectMeta)),
      },
      codec,
      encoded,
    );
  }
}
