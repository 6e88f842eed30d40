import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, groupDiscoveryList, servedGroups, type ServedGroup, type StorageKind } from './discovery-documents.js';
import { passesRouter } from '../handler/accept.js';
import { acceptClauses, type AcceptClause } from '../handler/accept-clauses.js';
import { Document, documentHash, notAcceptable, routeNotAcceptable, type DocumentRequest, type DocumentResponse } from './document.js';
import { encodeGroupDiscoveryList } from './discovery-protobuf.js';
import { builtinStorageKind } from './storage-kind.js';

export interface DiscoveryOptions {
  /** Host and port that clients reach the server at, e.g. `10.0.0.1:6443`; asked when `/api` first is. */
  readonly serverAddress: () => string;
  /** Default: what the built-in kinds are stored as. */
  readonly storageKind?: StorageKind;
  /** Writes documents in other forms than JSON; none when it is left out. */
  readonly encoder?: DocumentEncoder;
}

/** Encodes objects that say themselves what kind they are. */
export interface DocumentEncoder {
  toYaml(object: unknown): Buffer;
  toProtobuf(object: unknown): Buffer;
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const ALL_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];
const AGGREGATED = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/**
 * Discovery: what is served, at `/api`, `/apis`, `/apis/<group>` and each group version, and the aggregated form of the first two. Documents are made
 * when they are first asked for, and kept until the resources change.
 */
export class Discovery {
  private resources: readonly ResourceFacts[] = [];
  private knownGroups: readonly ServedGroup[] | undefined;
  private readonly documents = new Map<string, Document>();

  constructor(private readonly options: DiscoveryOptions) {}

  /** Replaces what is served; called whenever custom resources come or go. Versions of a group stand in order of preference. */
  setResources(resources: readonly ResourceFacts[]): void {
    this.resources = resources;
    this.knownGroups = undefined;
    this.documents.clear();
  }

  private get groups(): readonly ServedGroup[] {
    return (this.knownGroups ??= servedGroups(this.resources));
  }

  /** Undefined when the path is none of discovery's, or its group or version is not served. */
  async handle(path: string, request: DocumentRequest): Promise<DocumentResponse | undefined> {
    // The list of groups alone is found by its very path.
    const bare = path === '/apis/' ? '/apis' : path.replace(/\/+$/, '');
    if (bare === '/apis' && path.endsWith('//')) return undefined;
    const make = this.maker(bare);
    if (make === undefined) return undefined;
    // With a slash at its end the list of groups has the one form.
    const aggregatable = bare === '/api' || path === '/apis';
    const { encoder } = this.options;
    const types = encoder === undefined ? [JSON_TYPE] : ALL_TYPES;
    if (request.routed && request.accept !== '' && !passesRouter(request.accept, types)) return routeNotAcceptable(types);
    for (const clause of acceptClauses(request.accept === '' ? '*/*' : request.accept)) {
      const asked = isAggregated(clause);
      if (asked ? !aggregatable : ['as', 'g', 'v', 'sv'].some((name) => clause.params.has(name))) continue;
      const type = types.find((candidate) => accepts(clause, candidate));
      if (type === undefined) continue;
      const pretty = type === JSON_TYPE && (request.pretty === true || clause.params.get('pretty') === '1');
      const key = `${bare} ${type} ${asked} ${pretty}`;
      if (asked) return this.document(key, () => this.aggregated(bare === '/api', type, pretty)).respond(request);
      return this.document(key, () => encode(type, make(), pretty, encoder)).respond(request);
    }
    // All but the list of groups goes through upstream's router, which looks at the types alone.
    return bare === '/apis' || acceptClauses(request.accept).some((clause) => types.includes(`${clause.type}/${clause.subtype}`)) ? notAcceptable(types) : routeNotAcceptable(types);
  }

  /** All forms of it have one hash. */
  private aggregated(legacy: boolean, type: string, pretty: boolean): Document {
    const list = groupDiscoveryList(this.groups, legacy);
    const bytes = type === PROTOBUF_TYPE ? encodeGroupDiscoveryList(list) : encode(type, list, pretty, this.options.encoder).bytes;
    return new Document(bytes, `${type}${AGGREGATED}`, documentHash(JSON.stringify(list)));
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

function isAggregated({ params }: AcceptClause): boolean {
  return params.get('g') === 'apidiscovery.k8s.io' && params.get('v') === 'v2' && params.get('as') === 'APIGroupDiscoveryList';
}

function accepts({ type, subtype }: AcceptClause, candidate: string): boolean {
  return (type === '*' && subtype === '*') || (subtype === '*' ? candidate.startsWith(`${type}/`) : candidate === `${type}/${subtype}`);
}

function encode(type: string, object: object, pretty: boolean, encoder: DocumentEncoder | undefined): Document {
  if (encoder === undefined || type === JSON_TYPE) return Document.json(object, pretty);
  return new Document(type === YAML_TYPE ? encoder.toYaml(object) : encoder.toProtobuf(object), type);
}
