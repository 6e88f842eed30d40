import type { Clock } from '../../base/clock.js';
import { atOnce, type Steps } from '../../base/steps.js';
import { DEDUCED } from '../../api/apply/apply-type.js';
import { BuiltInTypes } from '../../api/apply/built-in-types.js';
import { excluding, fieldFilter } from '../../api/apply/field-filter.js';
import { FieldManager } from '../../api/apply/field-manager.js';
import type { FieldFilter } from '../../api/apply/updater.js';
import type { ApplyVersion, ApplyVersions } from '../../api/apply/versions.js';
import type { Codec } from '../../api/codec/codec.js';
import type { Draft } from '../../api/draft.js';
import { CUSTOM_RESET_FIELDS } from '../../api/facts/reset-fields.js';
import { apiVersionOf, parseApiVersion, type GroupVersionKind, type KubeObject } from '../../api/meta/object.js';
import { TimestampMemo } from '../../api/meta/timestamp.js';
import type { Scheme, ServedResource } from '../../api/scheme/scheme.js';

const SCALE: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The field managers of all resources, each made when it is first needed. One per server. */
export class FieldManagers {
  private readonly types = new BuiltInTypes();
  private readonly timestamps = new TimestampMemo();
  private readonly managers = new WeakMap<ServedResource, Map<string, FieldManager>>();
  private readonly known = new WeakMap<ServedResource, ApplyVersion>();
  private scaleManager: FieldManager | undefined;

  constructor(
    private readonly scheme: Scheme,
    private readonly codec: Codec,
    private readonly clock: Clock,
  ) {}

  /** The time of an entry that is written now. */
  now(): string {
    return this.timestamps.of(this.clock.now());
  }

  /** The manager of writes to objects of a served version, or to one of their subresources. */
  of(resource: ServedResource, subresource: string): FieldManager {
    let all = this.managers.get(resource);
    if (!all) this.managers.set(resource, (all = new Map()));
    let manager = all.get(subresource);
    if (!manager) {
      const filter = this.filter(resource, subresource);
      manager = new FieldManager({ versions: this.versions(resource), apiVersion: resource.apiVersion, subresource, empty: this.empty(resource.kind), ...(filter ? { filter } : {}) });
      all.set(subresource, manager);
    }
    return manager;
  }

  /** The manager of `scale` subresources; the objects are scales. */
  get scale(): FieldManager {
    if (!this.scaleManager) {
      const version: ApplyVersion = { type: this.types.struct(this.codec.schemas.kind(SCALE)!), checked: true, changes: false, toHub: (object) => object, fromHub: (object) => object };
      const apiVersion = apiVersionOf(SCALE);
      this.scaleManager = new FieldManager({ versions: (name) => (name === apiVersion ? version : undefined), apiVersion, subresource: 'scale', empty: this.empty(SCALE) });
    }
    return this.scaleManager;
  }

  /**
   * Sets the managed fields of a wanted object (of the hub version, defaults filled in) after a create (`live` undefined), an update or a patch by `manager`.
   * Called before admission: what admission changes is owned by nobody.
   */
  track(resource: ServedResource, subresource: string, live: KubeObject | undefined, draft: Draft<KubeObject>, manager: string): void {
    atOnce(this.trackSteps(resource, subresource, live, draft, manager));
  }

  /** {@link track} with pauses. */
  *trackSteps(resource: ServedResource, subresource: string, live: KubeObject | undefined, draft: Draft<KubeObject>, manager: string): Steps<void> {
    const { conversion } = resource;
    const before = live && conversion ? conversion.fromHub(live) : live;
    const after = conversion ? conversion.fromHub(draft as KubeObject) : (draft as KubeObject);
    setManagedFields(draft, yield* this.of(resource, subresource).updateSteps(before, after, manager, this.now()));
  }

  private filter(resource: ServedResource, subresource: string): FieldFilter | undefined {
    const { group, resource: name } = resource.storage;
    if (this.codec.schemas.kind(resource.kind)) return fieldFilter(`${group}/${name}`, subresource);
    const reset = resource.subresources.has('status') ? CUSTOM_RESET_FIELDS[subresource] : undefined;
    return reset && excluding(reset);
  }

  private versions(resource: ServedResource): ApplyVersions {
    const found = new Map<string, ApplyVersion | undefined>();
    return (apiVersion) => {
      if (!found.has(apiVersion)) found.set(apiVersion, this.find(resource, apiVersion));
      return found.get(apiVersion);
    };
  }

  private find(resource: ServedResource, apiVersion: string): ApplyVersion | undefined {
    const parsed = parseApiVersion(apiVersion);
    const served = parsed && this.scheme.kind(parsed.group, parsed.version, resource.kind.kind);
    if (!served || served.storage.group !== resource.storage.group || served.storage.resource !== resource.storage.resource) return undefined;
    return this.version(served);
  }

  private version(resource: ServedResource): ApplyVersion {
    let version = this.known.get(resource);
    if (!version) {
      const schema = this.codec.schemas.kind(resource.kind);
      const { conversion, lateConversion } = resource;
      version = {
        type: schema ? this.types.struct(schema) : (resource.applyType ?? DEDUCED),
        checked: schema !== undefined,
        changes: schema === undefined,
        toHub: conversion ? (object) => conversion.toHub((schema ? this.codec.check({ value: object }, schema, { strict: false }).object : object) as KubeObject) : (object) => object,
        fromHub: lateConversion
          ? (object) => lateConversion.converted(object as KubeObject, resource.apiVersion)
          : conversion ? (object) => conversion.fromHub(object as KubeObject) : (object) => object,
      };
      this.known.set(resource, version);
    }
    return version;
  }

  /** An object of a kind with nothing but what is always written. */
  private empty(kind: GroupVersionKind): object {
    const value = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {} };
    const schema = this.codec.schemas.kind(kind);
    return schema ? (this.codec.check({ value }, schema, { strict: false }).object as object) : value;
  }
}

/** Puts managed fields into a draft, or takes them out. */
export function setManagedFields(draft: Draft<KubeObject>, entries: ReturnType<FieldManager['update']>): void {
  const metadata = (draft.metadata ??= {});
  // Entries are shared between objects and never changed.
  if (entries) metadata.managedFields = entries as Draft<NonNullable<typeof metadata.managedFields>>;
  else delete metadata.managedFields;
}
