import type { Clock } from '../../base/clock.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { MetadataView } from './projected-view.js';
import { TableView, type IncludeObject } from './table-view.js';
import { VersionView } from './version-view.js';
import type { View } from './view.js';

/** A projection that a client may ask for in place of whole objects. */
export interface Projection {
  readonly kind: 'Table' | 'PartialObjectMetadata';
  /** `v1` or `v1beta1` of `meta.k8s.io`. */
  readonly version: string;
}

/** Makes and keeps the views of all resources. */
export class Views {
  private readonly made = new Map<ServedResource, Map<string, View>>();

  constructor(private readonly clock: Clock) {}

  /** `include` matters for tables alone. */
  get(resource: ServedResource, projection: Projection | undefined, include: IncludeObject): View {
    let ofResource = this.made.get(resource);
    if (!ofResource) this.made.set(resource, (ofResource = new Map()));
    const key = projection === undefined ? '' : projection.kind === 'Table' ? `${projection.version}/${include}` : projection.version;
    let view = ofResource.get(key);
    if (!view) {
      view = this.make(resource, projection, include);
      ofResource.set(key, view);
    }
    return view;
  }

  private make(resource: ServedResource, projection: Projection | undefined, include: IncludeObject): View {
    if (projection === undefined) return new VersionView(resource);
    const apiVersion = `meta.k8s.io/${projection.version}`;
    if (projection.kind === 'PartialObjectMetadata') return new MetadataView(apiVersion);
    return new TableView(resource, apiVersion, include, this.get(resource, undefined, include), this.clock);
  }
}
