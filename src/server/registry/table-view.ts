import type { Clock } from '../../base/clock.js';
import type { TableColumn } from '../../api/scheme/kind.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import type { CacheEntry } from './cache-entry.js';
import { JsonView } from './json-view.js';
import { MetadataView } from './projected-view.js';
import { frameAround, type ObjectEventType } from './stored-form.js';
import { bookmarkMetadata, type ListMetadata, type View } from './view.js';

/** What rows carry beside their cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** As Go writes a time that is none: objects of bookmarks have no other. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

/** Columns of kinds that have none of their own. */
const DEFAULT_COLUMNS: readonly TableColumn<KubeObject>[] = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name must be unique within a namespace.', cell: (object) => object.metadata?.name ?? '' },
  { name: 'Created At', type: 'date', description: 'CreationTimestamp is a timestamp representing the server time when this object was created.', cell: (object) => object.metadata?.creationTimestamp ?? ZERO_TIME },
];

/** Objects as rows of the `Table` that kubectl prints. Cells hold ages, so that rows are made anew each time. */
export class TableView extends JsonView {
  readonly name: string;
  private readonly columns: readonly TableColumn<KubeObject>[];
  private readonly columnsText: string;
  private readonly metadataView: MetadataView;
  /** Rows whose length was asked for and that are about to be written. */
  private readonly pending = new Map<CacheEntry, Buffer>();

  constructor(
    resource: ServedResource,
    /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
    private readonly apiVersion: string,
    private readonly include: IncludeObject,
    /** Gives whole objects in the served version. */
    private readonly whole: View,
    private readonly clock: Clock,
  ) {
    super();
    this.name = `table:${apiVersion}:${include}:${whole.name}`;
    this.columns = resource.definition.columns ?? DEFAULT_COLUMNS;
    this.columnsText = JSON.stringify(
      this.columns.map(({ name, type, format, description, priority }) => ({ name, type, format: format ?? '', description: description ?? '', priority: priority ?? 0 })),
    );
    this.metadataView = new MetadataView(apiVersion);
  }

  bytes(entry: CacheEntry): Buffer {
    return this.table(entry, this.columnsText);
  }

  object(entry: CacheEntry): unknown {
    return JSON.parse(this.bytes(entry).toString());
  }

  frame(type: ObjectEventType, entry: CacheEntry): Buffer {
    return frameAround(type, this.table(entry, 'null'));
  }

  firstFrame(type: ObjectEventType, entry: CacheEntry): Buffer {
    return frameAround(type, this.bytes(entry));
  }

  bookmark(revision: number, initialEventsEnd: boolean): unknown {
    const object = { kind: 'PartialObjectMetadata', apiVersion: this.apiVersion, metadata: bookmarkMetadata(revision, initialEventsEnd) };
    // As of an object with nothing in it.
    const empty = this.whole.bookmark(revision, initialEventsEnd) as KubeObject;
    const now = this.clock.now();
    const cells = this.columns.map((column) => column.cell(empty, now));
    return { kind: 'Table', apiVersion: this.apiVersion, metadata: { resourceVersion: String(revision) }, columnDefinitions: null, rows: [{ cells, object }] };
  }

  listHead(metadata: ListMetadata): string {
    return `{"kind":"Table","apiVersion":"${this.apiVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${this.columnsText},"rows":[`;
  }

  itemLength(entry: CacheEntry): number {
    const row = this.row(entry);
    this.pending.set(entry, row);
    return row.length;
  }

  writeItem(entry: CacheEntry, target: Buffer, at: number): number {
    const row = this.pending.get(entry) ?? this.row(entry);
    this.pending.delete(entry);
    return row.copy(target, at);
  }

  listObject(metadata: ListMetadata, entries: readonly CacheEntry[]): unknown {
    return {
      kind: 'Table',
      apiVersion: this.apiVersion,
      metadata,
      columnDefinitions: JSON.parse(this.columnsText) as unknown,
      rows: entries.map((entry) => JSON.parse(this.row(entry).toString()) as unknown),
    };
  }

  private table(entry: CacheEntry, columns: string): Buffer {
    const version = entry.object.metadata?.resourceVersion;
    const metadata = JSON.stringify(version === undefined ? {} : { resourceVersion: version });
    return Buffer.concat([
      Buffer.from(`{"kind":"Table","apiVersion":"${this.apiVersion}","metadata":${metadata},"columnDefinitions":${columns},"rows":[`),
      this.row(entry),
      Buffer.from(']}'),
    ]);
  }

  private row(entry: CacheEntry): Buffer {
    const now = this.clock.now();
    const object = entry.object;
    const cells = JSON.stringify(this.columns.map((column) => column.cell(object, now)));
    if (this.include === 'None') return Buffer.from(`{"cells":${cells},"object":null}`);
    const bytes = this.include === 'Metadata' ? this.metadataView.bytes(entry) : this.whole.bytes(entry);
    const head = `{"cells":${cells},"object":`;
    const length = Buffer.byteLength(head);
    const row = Buffer.allocUnsafe(length + bytes.length + 1);
    row.write(head, 0);
    bytes.copy(row, length);
    row[row.length - 1] = 0x7d;
    return row;
  }
}
