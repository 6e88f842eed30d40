import { parseJsonSteps } from '../../api/codec/decode-json.js';
import type { Steps } from '../../base/steps.js';
import { freezeWhenVerifying } from '../../base/verify.js';
import type { KubeObject } from '../../api/meta/object.js';
import { parseBesideFields, withFieldsText } from './beside-fields.js';
import { frameAround, frameOverhead, objectIn, objectStart, type ObjectEventType, type StoredForm } from './stored-form.js';

const EMPTY = Buffer.alloc(0);

/**
 * One version of one object in the cache: its bytes with the resource version, the object (parsed when first asked for), and
 * what other views of it were made of it. Never changes, except that it forgets what can be made again.
 */
export class CacheEntry {
  private parsed: KubeObject | undefined;
  private views: Map<string, Buffer> | undefined;
  /** What is stored, where it is not what is answered. */
  private original: Buffer | undefined;
  private unsettled = false;
  private onlyBytes = false;
  /** It is stored in another version, and has what that version has beside what the hub version knows. */
  foreign = false;

  constructor(
    private readonly form: StoredForm,
    /** `namespace/name`, or the name alone for cluster-scoped objects. */
    readonly key: string,
    readonly revision: number,
    readonly createRevision: number,
    /** Type of the event that the frame is ready for. */
    readonly frameType: ObjectEventType,
    private current: Buffer,
    object: KubeObject | undefined,
  ) {
    this.parsed = object;
  }

  /** From stored bytes; `object`, when known, must be what they say (it is completed with the resource version). */
  static of(form: StoredForm, key: string, type: ObjectEventType, stored: Buffer, revision: number, createRevision: number, object?: KubeObject): CacheEntry {
    const frame = form.frame(type, stored, revision);
    const versioned = object && freezeWhenVerifying(withResourceVersion(form, object, revision));
    const entry = new CacheEntry(form, key, revision, createRevision, type, frame, versioned);
    if (form.settle && !object) {
      entry.unsettled = true;
      if (!form.fits(stored)) {
        entry.original = stored;
        entry.foreign = true;
      }
    }
    return entry;
  }

  /** An object that is not in the store (a dry run's result): as it is, with whatever resource version it has. */
  static detached(form: StoredForm, key: string, object: KubeObject): CacheEntry {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
    const whole = { kind: form.kind, apiVersion: form.apiVersion, ...rest };
    return new CacheEntry(form, key, 0, 0, 'MODIFIED', frameAround('MODIFIED', Buffer.from(JSON.stringify(whole))), freezeWhenVerifying(whole));
  }

  /** The event as bytes: `{"type":…,"object":…}` and a line end. */
  get frame(): Buffer {
    if (this.unsettled) this.settle();
    return this.current;
  }

  /** The object in the hub version as JSON. */
  get bytes(): Buffer {
    return objectIn(this.frameType, this.frame);
  }

  get bytesLength(): number {
    return this.frame.length - frameOverhead(this.frameType);
  }

  /** Copies the object's bytes from `from` on into `target`; returns how many. */
  copyBytes(target: Buffer, at: number, from: number): number {
    const start = objectStart(this.frameType);
    return this.frame.copy(target, at, start + from, start + this.bytesLength);
  }

  /** The object in the hub version; shared, must not be changed. */
  get object(): KubeObject {
    if (this.unsettled) this.settle();
    if (this.parsed !== undefined) return this.parsed;
    const object = freezeWhenVerifying(JSON.parse(this.bytes.toString()) as KubeObject);
    if (!this.onlyBytes) this.parsed = object;
    return object;
  }

  /** {@link object}, parsed with pauses where it is long. */
  *objectSteps(): Steps<KubeObject> {
    if (this.unsettled || this.parsed !== undefined) return this.object;
    const object = freezeWhenVerifying((yield* parseJsonSteps(this.bytes.toString())) as KubeObject);
    if (!this.onlyBytes) this.parsed ??= object;
    return object;
  }

  /** The same for encoding it once: nothing is kept of it, and field sets of managers are text. */
  get objectForOnce(): KubeObject {
    if (this.unsettled) this.settle();
    return this.parsed === undefined ? parseBesideFields(this.bytes.toString()) : withFieldsText(this.parsed, (fields) => this.form.fieldsText(fields));
  }

  /** The bytes without resource version, as in the store; empty when they are in another form there than they should be. */
  get stored(): Buffer {
    const settled = this.form.storedIn(this.frameType, this.frame, this.revision);
    return this.original ? EMPTY : settled;
  }

  /** The very bytes in the store. */
  get raw(): Buffer {
    return this.original ?? this.form.storedIn(this.frameType, this.current, this.revision);
  }

  get namespace(): string {
    const slash = this.key.indexOf('/');
    return slash < 0 ? '' : this.key.slice(0, slash);
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1);
  }

  /** The bytes of another view of the object, made once. */
  view(name: string, make: (entry: CacheEntry) => Buffer): Buffer {
    const known = this.views?.get(name);
    if (known) return known;
    const bytes = make(this);
    (this.views ??= new Map()).set(name, bytes);
    return bytes;
  }

  /** The same state at another revision, as watchers get it for a deletion. */
  at(type: ObjectEventType, revision: number): CacheEntry {
    const settled = this.form.storedIn(this.frameType, this.frame, this.revision);
    const object = this.parsed && freezeWhenVerifying(withResourceVersion(this.form, this.parsed, revision));
    const entry = new CacheEntry(this.form, this.key, revision, this.createRevision, type, this.form.frame(type, settled, revision), object);
    entry.foreign = this.foreign;
    return entry;
  }

  private settle(): void {
    this.unsettled = false;
    const object = JSON.parse((this.foreign ? this.original! : objectIn(this.frameType, this.current)).toString()) as KubeObject;
    if (this.form.settle!(object) || this.foreign) {
      this.original ??= this.form.storedIn(this.frameType, this.current, this.revision);
      this.current = this.form.frame(this.frameType, this.form.encode(object), this.revision);
    }
    this.parsed = freezeWhenVerifying(withResourceVersion(this.form, object, this.revision));
  }

  /** Called when a newer version took its place: whatever can be made again goes, since history is kept for a while. */
  release(): void {
    this.parsed = undefined;
    this.views = undefined;
  }

  /** From now on the parsed form is made each time it is asked for. */
  keepOnlyBytes(): void {
    this.release();
    this.onlyBytes = true;
  }
}

function withResourceVersion(form: StoredForm, object: KubeObject, revision: number): KubeObject {
  return { ...object, kind: form.kind, apiVersion: form.apiVersion, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
