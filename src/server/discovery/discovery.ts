import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, groupDiscoveryList, servedGroups, type ServedGroup, type StorageKind } from './discovery-documents.js';
import { acceptsJson, Document, mediaRanges, notAcceptable, type DocumentRequest, type DocumentResponse, type MediaRange } from './document.js';
import { builtinStorageKind } from './storage-kind.js';

export interface DiscoveryOptions {
  /** Host and port that clients reach the server at, e.g. `10.0.0.1:6443`; asked when `/api` first is. */
  readonly serverAddress: () => string;
  /** Default: what the built-in kinds are stored as. */
  readonly storageKind?: StorageKind;
}

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ACCEPTED = ['application/json'];

/**
 * Discovery: what is served, at `/api`, `/apis`, `/apis/<group>` and each group version, and the aggregated form of the first two. Documents are made
 * when they are first asked for, and kept until the resources change.
 */
export class Discovery {
  private groups: readonly ServedGroup[] = [];
  private readonly documents = new Map<string, Document>();

  constructor(private readonly options: DiscoveryOptions) {}

  /** Replaces what is served; called whenever custom resources come or go. Versions of a group stand in order of preference. */
  setResources(resources: readonly ResourceFacts[]): void {
    this.groups = servedGroups(resources);
    this.documents.clear();
  }

  /** Undefined when the path is none of discovery's, or its group or version is not served. */
  async handle(path: string, request: DocumentRequest): Promise<DocumentResponse | undefined> {
    const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const make = this.maker(bare);
    if (make === undefined) return undefined;
    const aggregatable = bare === '/api' || bare === '/apis';
    for (const range of mediaRanges(request.accept)) {
      if (isAggregated(range)) {
        if (aggregatable) return this.document(`${bare} aggregated`, () => this.aggregated(bare === '/api')).respond(request);
        continue;
      }
      if (acceptsJson(range) && !range.parameters.has('as')) return this.document(bare, () => Document.json(make())).respond(request);
    }
    return notAcceptable(ACCEPTED);
  }

  private aggregated(legacy: boolean): Document {
    return Document.json(groupDiscoveryList(this.groups, legacy), AGGREGATED_TYPE, { 'Cache-Control': 'public' });
  }

  private document(key: string, make: () => Document): Document {
    let document = this.documents.get(key);
    if (document === undefined) this.documents.set(key, (document = make()));
    return document;
  }

  private maker(path: string): (() => object) | undefined {
    if (path === '/api') return () => apiVersions(this.groups, this.options.serverAddress());
    if (path === '/apis') return () => apiGroupList(this.groups);
    const match = /^\/api\/([^/]+)$/.exec(path) ?? /^\/apis\/([^/]+)(?:\/([^/]+))?$/.exec(path);
    if (!match) return undefined;
    const legacy = path.startsWith('/api/');
    const groupName = legacy ? '' : match[1]!;
    const versionName = legacy ? match[1] : match[2];
    const group = this.groups.find(({ name }) => name === groupName);
    if (group === undefined || (groupName === '') !== legacy) return undefined;
    if (versionName === undefined) return () => apiGroup(group);
    const version = group.versions.find((candidate) => candidate.version === versionName);
    return version && (() => apiResourceList(groupName, version, this.options.storageKind ?? builtinStorageKind));
  }
}

function isAggregated({ type, parameters }: MediaRange): boolean {
  return type === 'application/json' && parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('v') === 'v2' && parameters.get('as') === 'APIGroupDiscoveryList';
}
