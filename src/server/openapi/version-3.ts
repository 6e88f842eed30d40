import type { CustomDocuments } from './custom-documents.js';
import { jsonEntries, V3_JSON } from './document-form.js';
import { CompressedDocument } from './document-pieces.js';
import { COMMA, gzipPiece, type GzipPiece } from './gzip-pieces.js';
import { headOf } from './protobuf-entries.js';
import { beforeV3, V3_COMPONENTS_FIELD, V3_PATHS_FIELD, V3_PROTOBUF, V3_SCHEMAS_FIELD } from './protobuf-v3.js';

type Json = Readonly<Record<string, unknown>>;

const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const HEAD = { openapi: '3.0.0', info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } };

/** Schemas that the definitions refer to, in both forms. */
interface Shared {
  readonly json: GzipPiece;
  readonly protobuf: GzipPiece;
}

/** The documents of version 3 about custom resources, one for each group version; what each definition says is encoded and compressed once. */
export class Version3 {
  private known: Promise<{ readonly always: Shared; readonly scale: Shared }> | undefined;

  constructor(
    /** The schemas that all documents refer to, and those that kinds with a scale do besides; neither is empty. */
    private readonly schemas: () => Promise<{ readonly always: Json; readonly scale: Json }>,
    private readonly custom: CustomDocuments,
  ) {}

  /** `key`: `apis/<group>/<version>`. */
  async json(key: string): Promise<CompressedDocument> {
    const shared = await this.shared(key);
    const fragments = await this.custom.fragments(V3_JSON, key);
    const comma = await COMMA;
    const listed = (pieces: readonly GzipPiece[]): GzipPiece[] => pieces.flatMap((piece, i) => (i > 0 ? [comma, piece] : [piece]));
    const text = (piece: string): Promise<GzipPiece> => gzipPiece(Buffer.from(piece));
    const [head, between, tail] = await Promise.all([`${JSON.stringify(HEAD).slice(0, -1)},"paths":{`, '},"components":{"schemas":{', '}}}\n'].map(text));
    const schemas = [...shared.map(({ json }) => json), ...fragments.map((fragment) => fragment.schemas)];
    return CompressedDocument.of([head!, ...listed(fragments.map(({ paths }) => paths)), between!, ...listed(schemas), tail!], 'application/json');
  }

  async protobuf(key: string): Promise<CompressedDocument> {
    const shared = await this.shared(key);
    const fragments = await this.custom.fragments(V3_PROTOBUF, key);
    const paths = fragments.map((fragment) => fragment.paths);
    const schemas = [...shared.map(({ protobuf }) => protobuf), ...fragments.map((fragment) => fragment.schemas)];
    const schemasHead = headOf(V3_SCHEMAS_FIELD, schemas);
    const heads = [Buffer.concat([beforeV3(HEAD), headOf(V3_PATHS_FIELD, paths)]), Buffer.concat([headOf(V3_COMPONENTS_FIELD, [schemasHead, ...schemas]), schemasHead])];
    const [before, between] = await Promise.all(heads.map(gzipPiece));
    return CompressedDocument.of([before!, ...paths, between!, ...schemas], PROTOBUF_TYPE);
  }

  private async shared(key: string): Promise<Shared[]> {
    const { always, scale } = await (this.known ??= this.encode());
    return this.custom.hasScale(key) ? [always, scale] : [always];
  }

  private async encode(): Promise<{ readonly always: Shared; readonly scale: Shared }> {
    const { always, scale } = await this.schemas();
    const encoded = async (schemas: Json): Promise<Shared> => ({ json: await gzipPiece(await jsonEntries(schemas)), protobuf: await gzipPiece(await V3_PROTOBUF.schemas(schemas)) });
    return { always: await encoded(always), scale: await encoded(scale) };
  }
}
