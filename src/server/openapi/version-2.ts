import type { CustomDocuments, Fragment } from './custom-documents.js';
import { V2_JSON } from './document-form.js';
import { CompressedDocument } from './document-pieces.js';
import { entriesOf, sectionsOf, withoutSections } from './document-text.js';
import { COMMA, gzipPiece, type GzipPiece } from './gzip-pieces.js';
import { headOf } from './protobuf-entries.js';
import { aroundV2, V2_DEFINITIONS_FIELD, V2_PATHS_FIELD, V2_PROTOBUF } from './protobuf-v2.js';

const PATHS = 'paths';
const DEFINITIONS = 'definitions';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** A part of the built-in document, and what is inserted behind it. */
interface JsonPart {
  readonly piece: GzipPiece;
  readonly insert: keyof Fragment | undefined;
}

interface ProtobufParts {
  readonly before: GzipPiece;
  readonly paths: GzipPiece;
  readonly definitions: GzipPiece;
  readonly after: GzipPiece;
}

/** The document of version 2: what is built in is encoded and compressed once, and so is what each definition says. */
export class Version2 {
  private builtInJson: Promise<readonly JsonPart[]> | undefined;
  private builtInProtobuf: Promise<ProtobufParts> | undefined;

  constructor(
    /** The built-in document. */
    private readonly text: () => Promise<Buffer>,
    private readonly custom: CustomDocuments,
  ) {}

  async json(): Promise<CompressedDocument> {
    const parts = await (this.builtInJson ??= this.makeJson());
    const fragments = await this.custom.fragments(V2_JSON);
    const comma = await COMMA;
    const pieces = parts.flatMap(({ piece, insert }) => (insert ? [piece, ...fragments.flatMap((fragment) => [fragment[insert], comma])] : [piece]));
    return CompressedDocument.of(pieces, 'application/json');
  }

  async protobuf(): Promise<CompressedDocument> {
    const { before, paths, definitions, after } = await (this.builtInProtobuf ??= this.makeProtobuf());
    const fragments = await this.custom.fragments(V2_PROTOBUF);
    const allPaths = [...fragments.map((fragment) => fragment.paths), paths];
    const allDefinitions = [...fragments.map((fragment) => fragment.schemas), definitions];
    const head = (number: number, of: readonly GzipPiece[]): Promise<GzipPiece> => gzipPiece(headOf(number, of));
    return CompressedDocument.of([before, await head(V2_PATHS_FIELD, allPaths), ...allPaths, await head(V2_DEFINITIONS_FIELD, allDefinitions), ...allDefinitions, after], PROTOBUF_TYPE);
  }

  private async makeJson(): Promise<JsonPart[]> {
    const text = await this.text();
    const parts: JsonPart[] = [];
    let from = 0;
    for (const { name, start } of await sectionsOf(text, [PATHS, DEFINITIONS])) {
      parts.push({ piece: await gzipPiece(text.subarray(from, start)), insert: name === PATHS ? 'paths' : 'schemas' });
      from = start;
    }
    return [...parts, { piece: await gzipPiece(text.subarray(from)), insert: undefined }];
  }

  private async makeProtobuf(): Promise<ProtobufParts> {
    const text = await this.text();
    const sections = await sectionsOf(text, [PATHS, DEFINITIONS]);
    const { before, after } = aroundV2(withoutSections(text, sections));
    const encoded = async (name: string, write: (entries: Record<string, unknown>) => Promise<Buffer>): Promise<GzipPiece> => {
      const pieces: Buffer[] = [];
      for (const entries of entriesOf(text, sections.find((section) => section.name === name)!)) pieces.push(await write(entries));
      return gzipPiece(Buffer.concat(pieces));
    };
    return { before: await gzipPiece(before), paths: await encoded(PATHS, V2_PROTOBUF.paths), definitions: await encoded(DEFINITIONS, V2_PROTOBUF.schemas), after: await gzipPiece(after) };
  }
}
