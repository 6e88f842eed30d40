import type { Steps } from '../../base/steps.js';
import type { Draft } from '../draft.js';
import type { FieldError } from '../meta/field-error.js';
import type { KubeObject } from '../meta/object.js';

/** A column of the `Table` form (what `kubectl get` prints). */
export interface TableColumn<T> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` marks the column that names the object. */
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; greater: only with `-o wide`. */
  readonly priority?: number;
  /** `now` is the server's time in milliseconds, for ages. */
  readonly cell: (object: T, now: number) => string | number | boolean | null;
}

/** What a strategy may know about the request. */
export interface StrategyContext {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  readonly userName: string;
  /** The `apiVersion` that the request addressed, where it may differ from the hub's (Events). Absent: the hub's. */
  readonly apiVersion?: string;
  /** Labels of a namespace; undefined when there is none. Absent: nothing is known of namespaces. */
  readonly namespaceLabels?: (namespace: string) => Readonly<Record<string, string>> | undefined;
}

/** Rules of one way to write an object (the main resource or a subresource such as `status`). */
export interface UpdateStrategy<T extends KubeObject> {
  /**
   * Called with the wanted state before validation: puts back what this way of writing may not change
   * (for instance `status` on the main resource, everything else on `status`).
   */
  readonly prepareForUpdate?: (draft: Draft<T>, old: T, context: StrategyContext) => void;
  /** Rules for the change; rules for the new object alone are in {@link KindDefinition.validate}. */
  readonly validateUpdate?: (object: T, old: T, context: StrategyContext) => FieldError[];
  /**
   * The same as {@link validateUpdate} (and for a new object, `old` undefined, as {@link KindDefinition.validate}), for rules that take long: others get
   * their turn between the steps. Used in place of them where it is there.
   */
  readonly validateInSteps?: (object: T, old: T | undefined, context: StrategyContext) => Steps<FieldError[]>;
}

/** How many seconds a graceful deletion takes; undefined: the object is deleted at once. */
export interface GracefulDeletion<T extends KubeObject> {
  readonly gracePeriodSeconds: (object: T, requested: number | undefined) => number | undefined;
}

/**
 * Everything the API server knows about one kind beyond the facts table (`src/api/facts/resources.ts`
 * has names, scope, verbs, short names). Functions are pure. One file per kind: `src/api/<group>/<kind>.ts`.
 */
export interface KindDefinition<T extends KubeObject = KubeObject> extends UpdateStrategy<T> {
  readonly group: string;
  /** The hub version: what is stored, and what these functions get. */
  readonly version: string;
  readonly kind: string;

  /** Fills in absent fields of a decoded object of the hub version. Must be idempotent. */
  readonly defaults?: (draft: Draft<T>) => void;
  /** Clears what a creator may not set (for instance `status`). */
  readonly prepareForCreate?: (draft: Draft<T>, context: StrategyContext) => void;
  /** Rules of a new object. On update {@link validateUpdate} is called instead (it calls this where the rules are the same). */
  readonly validate?: (object: T, context: StrategyContext) => FieldError[];
  /** Defaults that upstream fills in again when it reads a stored object: applied after validation. Never changes its argument. */
  readonly whenRead?: (object: T) => T;
  /** A `Warning` header for every request that names the kind (deprecated kinds). */
  readonly deprecation?: string;
  /** Texts for `Warning` headers. `old` is absent on create. */
  readonly warnings?: (object: T, old: T | undefined) => string[];
  /** Rule for `metadata.name`: messages of what is wrong. Default: DNS-1123 subdomain. `prefix` is true for a generateName. */
  readonly validateName?: (name: string, prefix: boolean) => string[];
  /** `metadata.generation` starts at 1 and grows when `spec` (all but metadata and status) changes. Default: true when the kind has a `spec`. */
  readonly tracksGeneration?: boolean;
  /** `metadata.generation` stays at 1. Default false. */
  readonly generationStays?: boolean;
  /** A `generateName` is the name, without a random suffix. Default false. */
  readonly generateNameIsName?: boolean;
  /** PUT of an absent object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Dependents are orphaned when the client says nothing (replication controllers). Default false. */
  readonly orphanDependentsByDefault?: boolean;
  readonly gracefulDeletion?: GracefulDeletion<T>;
  /** Rules of subresources that update the stored object itself: `status`, `resize`, `ephemeralcontainers`, `approval`, `finalize`. */
  readonly subresources?: Readonly<Record<string, UpdateStrategy<T>>>;
  /** Columns of the `Table` form; default: Name and Created At. */
  readonly columns?: readonly TableColumn<T>[];
  /** Fields beyond `metadata.name` and `metadata.namespace` that field selectors may use. */
  readonly selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** What a selector of a field that is not selectable is told; kinds differ. */
  readonly unknownFieldMessage?: (field: string) => string;
  /** Where the `scale` subresource finds its values; dotted paths in the hub version. */
  readonly scale?: {
    readonly specReplicas: string;
    readonly statusReplicas: string;
    /** The selector as text. */
    readonly selector: (object: T) => string;
  };
  /** Other served versions of the same kind, converted to and from the hub. */
  readonly conversions?: Readonly<Record<string, KindConversion>>;
  /** Seconds after the last write at which the object goes away by itself (events). */
  readonly ttlSeconds?: (object: T) => number | undefined;
}

/** Conversion between another served version (possibly of another group, as for Events) and the hub. Pure. */
export interface KindConversion {
  readonly toHub: (object: KubeObject) => KubeObject;
  readonly fromHub: (object: KubeObject) => KubeObject;
  /** Defaults of that version, filled in before conversion. */
  readonly defaults?: (draft: Draft<KubeObject>) => void;
  /** Fields that selectors of that version may use, with their names in the hub; absent: the hub's. */
  readonly fieldLabels?: Readonly<Record<string, string>>;
}

/** Gives a definition its type; the only way definitions are written. */
export function defineKind<T extends KubeObject>(definition: KindDefinition<T>): KindDefinition<T> {
  return definition;
}
