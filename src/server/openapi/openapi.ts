import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { GeneratedDocument } from '../../api/generated/openapi-index.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { CustomDocuments } from './custom-documents.js';
import { openApiV3Protobuf, type OpenApiV3 } from './protobuf-v3.js';
import { CompressedDocument } from './document-pieces.js';
import { gzipPiece } from './gzip-pieces.js';
import { Version2 } from './version-2.js';
import { Version3 } from './version-3.js';
import { acceptsGzip, hasDocument, type DocumentRequest, type DocumentResponse } from '../discovery/document.js';
import { acceptClauses, type AcceptClause } from '../handler/accept-clauses.js';

/** A document that can be served: generated, or made at run time. */
interface Published {
  readonly hash: string;
  respond(request: DocumentRequest): Promise<DocumentResponse>;
  /** The same in protobuf; undefined: it is made of the text. */
  protobuf?(): Promise<Published>;
}

const JSON_TYPE = 'application/json';
const V2_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The second is what clients of old ask for. */
const V2_PROTOBUF_TYPES: readonly string[] = [V2_PROTOBUF_TYPE, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'];
const V3_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const V3_PROTOBUF_TYPES: readonly string[] = [V3_PROTOBUF_TYPE, 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'];
const V3_PREFIX = '/openapi/v3';
const expand = promisify(gunzip);
const EMPTY = Buffer.alloc(0);
const NOT_ACCEPTABLE: DocumentResponse = { status: 406, headers: { Vary: 'Accept' }, bytes: EMPTY };
/** There is no such document; nothing more is said. */
const NOT_FOUND: DocumentResponse = { status: 404, headers: {}, bytes: EMPTY };

/** A document whose text never changes under its address may be kept for a year; upstream says so by a date. */
const IMMUTABLE = 'public, immutable, max-age=31536000';

/**
 * The OpenAPI documents: `/openapi/v2`, the index at `/openapi/v3`, and one document per group version below it. They were made at build time;
 * their compressed text is loaded when it is first asked for, and handed on as it is to clients that accept gzip.
 */
export class OpenApi {
  private readonly added = new Map<string, Published>();
  private readonly custom = new CustomDocuments();
  private readonly v2 = new Version2(async () => (await this.documents()).v2.text(), this.custom);
  private readonly v3 = new Version3(() => this.sharedSchemas(), this.custom);
  private v2Custom: Promise<Published> | undefined;
  private index: Promise<Buffer> | undefined;
  private v2Protobuf: Promise<Published> | undefined;
  private readonly v3Protobuf = new WeakMap<Published, Promise<Published>>();
  private generated: Promise<{ readonly v2: StoredDocument; readonly v3: ReadonlyMap<string, StoredDocument> }> | undefined;

  /** Adds or replaces what is said of a definition's custom resources; undefined takes it back. Cheap: nothing is made before it is asked for. */
  publish(name: string, definition: V1CustomResourceDefinition | undefined): void {
    for (const key of this.custom.set(name, definition)) {
      if (this.custom.has(key)) this.added.set(key, new LateDocument(() => this.custom.hash(key), () => this.v3.json(key), () => this.v3.protobuf(key)));
      else this.added.delete(key);
    }
    this.index = undefined;
    this.v2Custom = undefined;
    this.v2Protobuf = undefined;
  }

  /** Undefined when the path is none of these. `query` is the request's query string, parsed. */
  async handle(path: string, query: URLSearchParams, request: DocumentRequest): Promise<DocumentResponse | undefined> {
    if (path === '/openapi/v2') {
      const response = await this.version2(request);
      return { ...response, headers: { ...response.headers, Vary: 'Accept-Encoding, Accept' } };
    }
    // Nobody knows its hash.
    if (path === V3_PREFIX) return hasDocument(request, '') ? { status: 304, headers: {}, bytes: EMPTY } : this.version3Index();
    if (!path.startsWith(`${V3_PREFIX}/`)) return undefined;
    const document = await this.version3(path.slice(V3_PREFIX.length + 1));
    if (document === undefined) return NOT_FOUND;
    const type = wanted(request, V3_PROTOBUF_TYPES);
    if (type === undefined) return NOT_ACCEPTABLE;
    const hash = query.get('hash');
    // With the right hash in its address an answer can be kept for good; with another one the client is sent on.
    if (hash && hash !== document.hash) {
      const headers = { 'Content-Type': type === 'json' ? JSON_TYPE : V3_PROTOBUF_TYPE, ETag: `"${document.hash}"`, Vary: 'Accept', Location: `${path}?hash=${document.hash}` };
      return { status: 301, headers, bytes: EMPTY };
    }
    const response = await (type === 'json' ? document : await this.encodeV3(document)).respond(request);
    return hash ? { ...response, headers: { ...response.headers, 'Cache-Control': IMMUTABLE } } : response;
  }

  private async version3(name: string): Promise<Published | undefined> {
    return this.added.get(name) ?? (await this.documents()).v3.get(name);
  }

  /** It has one form, and nobody is asked about it. Upstream guesses the type from its content. */
  private async version3Index(): Promise<DocumentResponse> {
    return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, bytes: await (this.index ??= this.makeIndex()) };
  }

  private encodeV3(document: Published): Promise<Published> {
    let encoded = this.v3Protobuf.get(document);
    if (encoded === undefined) {
      encoded = document.protobuf?.() ?? encodedV3(document);
      this.v3Protobuf.set(document, encoded);
    }
    return encoded;
  }

  private async version2(request: DocumentRequest): Promise<DocumentResponse> {
    const type = wanted(request, V2_PROTOBUF_TYPES);
    if (type === undefined) return NOT_ACCEPTABLE;
    const v2 = await this.wholeVersion2();
    return (type === 'json' ? v2 : await (this.v2Protobuf ??= this.v2.protobuf())).respond(request);
  }

  private async makeIndex(): Promise<Buffer> {
    const all = [...(await this.documents()).v3, ...this.added].sort(([a], [b]) => (a < b ? -1 : 1));
    return Buffer.from(JSON.stringify({ paths: Object.fromEntries(all.map(([name, { hash }]) => [name, { serverRelativeURL: `${V3_PREFIX}/${name}?hash=${hash}` }])) }));
  }

  private async wholeVersion2(): Promise<Published> {
    const { v2 } = await this.documents();
    if (this.custom.isEmpty) return v2;
    return (this.v2Custom ??= this.v2.json());
  }

  /** Schemas that operations of custom kinds refer to: of metadata, options and the like, and of scales. */
  private async sharedSchemas(): Promise<{ readonly always: Schemas; readonly scale: Schemas }> {
    const read = async (name: string): Promise<Schemas> => {
      const text = await (await this.documents()).v3.get(name)!.text();
      return (JSON.parse(text.toString()) as { readonly components: { readonly schemas: Schemas } }).components.schemas;
    };
    const always = reachable(await read('apis/autoscaling/v1'), ['DeleteOptions', 'ListMeta', 'ObjectMeta', 'Patch', 'Status'].map((kind) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`));
    const scale = reachable(await read('apis/apps/v1'), ['io.k8s.api.autoscaling.v1.Scale']);
    return { always, scale: Object.fromEntries(Object.entries(scale).filter(([name]) => always[name] === undefined)) };
  }

  private documents(): NonNullable<OpenApi['generated']> {
    return (this.generated ??= import('../../api/generated/openapi-index.js').then(({ OPENAPI_V2, OPENAPI_V3 }) => ({
      v2: new StoredDocument(OPENAPI_V2),
      v3: new Map(Object.entries(OPENAPI_V3).map(([name, source]) => [name, new StoredDocument(source)])),
    })));
  }
}

type Schemas = Readonly<Record<string, unknown>>;

/** The schemas of these names and those that they refer to. */
function reachable(schemas: Schemas, roots: readonly string[]): Schemas {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, other] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) visit(other!);
  };
  roots.forEach(visit);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name]]));
}

/** Which of its two forms a document is to have; the first that fits. */
function wanted({ accept }: DocumentRequest, protobuf: readonly string[]): 'json' | 'protobuf' | undefined {
  for (const clause of acceptClauses(accept === '' ? '*/*' : accept)) {
    if (fits(clause, JSON_TYPE)) return 'json';
    if (protobuf.some((type) => fits(clause, type))) return 'protobuf';
  }
  return undefined;
}

/** Each half alone may be a wildcard. */
function fits({ type, subtype }: AcceptClause, candidate: string): boolean {
  const slash = candidate.indexOf('/');
  return (type === '*' || type === candidate.slice(0, slash)) && (subtype === '*' || subtype === candidate.slice(slash + 1));
}

async function encodedV3(document: Published): Promise<Published> {
  const { bytes } = await document.respond({ accept: '' });
  const encoded = Buffer.concat(await openApiV3Protobuf(JSON.parse(bytes.toString()) as OpenApiV3));
  return CompressedDocument.of([await gzipPiece(encoded)], V3_PROTOBUF_TYPE);
}

/** A document that is made when it is first asked for, under a hash that is known before. */
class LateDocument implements Published {
  private made: Promise<Published> | undefined;
  private knownHash: string | undefined;

  constructor(
    private readonly makeHash: () => string,
    private readonly make: () => Promise<Published>,
    readonly protobuf: () => Promise<Published>,
  ) {}

  get hash(): string {
    return (this.knownHash ??= this.makeHash());
  }

  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    this.made ??= this.make();
    const response = await (await this.made).respond({ ...request, ifNoneMatch: '' });
    const { 'Content-Type': contentType, ...others } = response.headers;
    const headers = { ...others, ETag: `"${this.hash}"` };
    return hasDocument(request, this.hash) ? { status: 304, headers: { ETag: headers.ETag, Vary: others['Vary']! }, bytes: EMPTY } : { ...response, headers: { ...headers, 'Content-Type': contentType! } };
  }
}

/** A generated document: the compressed text is loaded on first use and kept, the plain text is not. */
class StoredDocument implements Published {
  private compressed: Promise<Buffer> | undefined;

  constructor(private readonly source: GeneratedDocument) {}

  get hash(): string {
    return this.source.hash;
  }

  /** The document itself. */
  async text(): Promise<Buffer> {
    this.compressed ??= this.source.load().then(({ DOCUMENT }) => Buffer.from(DOCUMENT, 'base64'));
    return expand(await this.compressed);
  }

  async respond(request: DocumentRequest): Promise<DocumentResponse> {
    const kept = { ETag: `"${this.hash}"`, Vary: 'Accept, Accept-Encoding' };
    if (hasDocument(request, this.hash)) return { status: 304, headers: kept, bytes: EMPTY };
    const headers = { ...kept, 'Content-Type': JSON_TYPE };
    this.compressed ??= this.source.load().then(({ DOCUMENT }) => Buffer.from(DOCUMENT, 'base64'));
    const compressed = await this.compressed;
    if (acceptsGzip(request)) return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, bytes: compressed };
    return { status: 200, headers, bytes: await expand(compressed) };
  }
}
