import type { CustomDocuments, Fragment } from './custom-documents.js';
import { jsonEntries, V3_JSON, type DocumentForm } from './document-form.js';
import { CompressedDocument } from './document-pieces.js';
import { gzipPiece, type GzipPiece } from './gzip-pieces.js';
import { headOf } from './protobuf-entries.js';
import { beforeV3, V3_COMPONENTS_FIELD, V3_PATHS_FIELD, V3_PROTOBUF, V3_SCHEMAS_FIELD } from './protobuf-v3.js';
import { renderPathsV3 } from './paths/render.js';
import { groupVersionPath } from './paths/server-paths.js';

type Json = Readonly<Record<string, unknown>>;

const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const HEAD = { openapi: '3.0.0', info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } };

/** What stands in each document before what the definitions say. */
interface Shared {
  readonly json: GzipPiece;
  readonly protobuf: GzipPiece;
}

/** The documents of version 3 about custom resources, one for each group version; what each definition says is encoded and compressed once. */
export class Version3 {
  private knownShared: Promise<Shared> | undefined;

  constructor(
    /** The schemas that all documents have; not none. */
    private readonly schemas: () => Promise<Json>,
    private readonly custom: CustomDocuments,
  ) {}

  /** `key`: `apis/<group>/<version>`. */
  async json(key: string): Promise<CompressedDocument> {
    const { json } = await this.shared();
    const { own, fragments } = await this.parts(key, V3_JSON);
    const text = (piece: string): Promise<GzipPiece> => gzipPiece(Buffer.from(piece));
    // The entry of the group version stands first, without the comma before it.
    const head = await gzipPiece(Buffer.concat([Buffer.from(`${JSON.stringify(HEAD).slice(0, -1)},"paths":{`), own.subarray(1)]));
    const pieces = [head, ...fragments.map(({ paths }) => paths), await text('},"components":{"schemas":{'), json, ...fragments.map(({ schemas }) => schemas), await text('}}}\n')];
    return CompressedDocument.of(pieces, 'application/json');
  }

  async protobuf(key: string): Promise<CompressedDocument> {
    const { protobuf } = await this.shared();
    const { own, fragments } = await this.parts(key, V3_PROTOBUF);
    const paths = [await gzipPiece(own), ...fragments.map((fragment) => fragment.paths)];
    const schemas = [protobuf, ...fragments.map((fragment) => fragment.schemas)];
    const schemasHead = headOf(V3_SCHEMAS_FIELD, schemas);
    const heads = [Buffer.concat([beforeV3(HEAD), headOf(V3_PATHS_FIELD, paths)]), Buffer.concat([headOf(V3_COMPONENTS_FIELD, [schemasHead, ...schemas]), schemasHead])];
    const [before, between] = await Promise.all(heads.map(gzipPiece));
    return CompressedDocument.of([before!, ...paths, between!, ...schemas], PROTOBUF_TYPE);
  }

  /** The path of the group version itself, and what its definitions say. */
  private async parts(key: string, form: DocumentForm): Promise<{ readonly own: Buffer; readonly fragments: readonly Fragment[] }> {
    const [, group, version] = key.split('/');
    return { own: await form.paths(renderPathsV3([groupVersionPath(group!, version!)])), fragments: await this.custom.fragments(form, key) };
  }

  private shared(): Promise<Shared> {
    return (this.knownShared ??= this.schemas().then(async (schemas) => {
      const json = await jsonEntries(schemas, ',', '');
      return { json: await gzipPiece(json.subarray(1)), protobuf: await gzipPiece(await V3_PROTOBUF.schemas(schemas)) };
    }));
  }
}
