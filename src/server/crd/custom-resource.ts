import type { ApplyType } from '../../api/apply/apply-type.js';
import { customType, type ApplySchema } from '../../api/apply/json-schema-types.js';
import { CustomVersion } from '../../api/apiextensions/structural/custom-version.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { apiVersionOf, type GroupResource, type GroupVersionKind } from '../../api/meta/object.js';
import type { KindConversion, KindDefinition } from '../../api/scheme/kind.js';
import type { ResourceFacts, SubresourceFacts } from '../../api/scheme/resource-facts.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { customFacts } from './custom-facts.js';
import type { LateConversion } from '../../api/scheme/late-conversion.js';
import { WebhookConversion, type ConversionEnvironment } from './conversion/webhook-conversion.js';
import { customKind, retagged, type CustomKindVersions } from './custom-kind.js';

/** A custom resource in all its versions. */
export interface CustomResource {
  /** The storage version, whether it is served or not. */
  readonly hub: CustomServedResource;
  readonly served: readonly CustomServedResource[];
}

/** What custom resources need from the server. */
export interface CustomResourceEnvironment {
  objectMeta(): ApplyType;
  /** Asked for when an object is converted by a webhook. */
  conversion(): ConversionEnvironment;
}

/** The resource that a definition with accepted names describes. Cheap: schemas are read when they are first needed. */
export function customResource(definition: V1CustomResourceDefinition, environment: CustomResourceEnvironment): CustomResource {
  const { spec } = definition;
  const versions = new Map(spec.versions.map((version) => [version.name, new CustomVersion(version, spec.preserveUnknownFields === true)]));
  const storage = spec.versions.find((version) => version.storage)!;
  const kind: CustomKindVersions = { definition, hub: versions.get(storage.name)!, versions };
  const late = spec.conversion?.strategy === 'Webhook' ? new WebhookConversion(definition, byApiVersion(kind), () => environment.conversion()) : undefined;
  const hub = new CustomServedResource(kind, kind.hub, environment, late, undefined);
  const served = spec.versions
    .filter((version) => version.served)
    .map((version) => (version === storage ? hub : new CustomServedResource(kind, versions.get(version.name)!, environment, late, hub)));
  return { hub, served };
}

/** One version of a custom resource. */
export class CustomServedResource implements ServedResource {
  readonly facts: ResourceFacts;
  readonly kind: GroupVersionKind;
  readonly apiVersion: string;
  readonly groupResource: GroupResource;
  readonly definition: KindDefinition;
  readonly hub: GroupVersionKind;
  readonly hubApiVersion: string;
  readonly storage: GroupResource;
  readonly conversion: KindConversion | undefined;
  readonly subresources: ReadonlyMap<string, SubresourceFacts>;
  readonly listKind: string;
  readonly hubResource: ServedResource;
  readonly customVersions: ReadonlyMap<string, CustomVersion>;
  /** Changes while the resource is served. */
  terminating = false;
  private knownType: ApplyType | undefined;

  constructor(
    kind: CustomKindVersions,
    readonly custom: CustomVersion,
    private readonly environment: CustomResourceEnvironment,
    readonly lateConversion: LateConversion | undefined,
    hub: ServedResource | undefined,
  ) {
    const { group } = kind.definition.spec;
    this.facts = customFacts(kind.definition, custom.definition);
    this.kind = { group, version: this.facts.version, kind: this.facts.kind };
    this.apiVersion = apiVersionOf(this.kind);
    this.groupResource = { group, resource: this.facts.resource };
    // With a webhook, requests work on objects of their own version.
    const own = lateConversion ? { ...kind, hub: custom, versions: new Map([[custom.definition.name, custom]]) } : kind;
    this.definition = customKind(own, custom);
    this.hub = { group, version: own.hub.definition.name, kind: this.facts.kind };
    this.hubApiVersion = apiVersionOf(this.hub);
    this.storage = this.groupResource;
    this.conversion = hub && !lateConversion ? this.conversionTo(kind) : undefined;
    this.subresources = new Map((this.facts.subresources ?? []).map((subresource) => [subresource.name, subresource]));
    this.listKind = kind.definition.status?.acceptedNames?.listKind || `${this.facts.kind}List`;
    this.hubResource = hub ?? this;
    this.customVersions = byApiVersion(kind);
  }

  get applyType(): ApplyType {
    return (this.knownType ??= customType(this.custom.schema as ApplySchema, this.environment.objectMeta()));
  }

  /** Fields that only one of the versions has are dropped when they are stored, and not before: a request is judged by what it said. */
  private conversionTo(kind: CustomKindVersions): KindConversion {
    const { group } = this.kind;
    let same: boolean | undefined;
    return {
      toHub: (object) => ({ ...object, apiVersion: apiVersionOf({ group, version: kind.hub.definition.name }) }),
      fromHub: (object) => retagged(object, group, this.custom, (same ??= deepEqual(this.custom.definition.schema, kind.hub.definition.schema))),
      defaults: (draft) => void this.custom.fillDefaults(draft),
    };
  }
}

function byApiVersion({ definition, versions }: CustomKindVersions): ReadonlyMap<string, CustomVersion> {
  const { group } = definition.spec;
  return new Map([...versions].map(([version, rules]) => [apiVersionOf({ group, version }), rules]));
}
