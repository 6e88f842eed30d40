import { JsonPath } from '../../api/apiextensions/structural/json-path.js';
import type { CustomVersion } from '../../api/apiextensions/structural/custom-version.js';
import { valueAt } from '../../api/apiextensions/structural/scale-rules.js';
import { toDraft, type Draft } from '../../api/draft.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import { apiVersionOf, type KubeObject } from '../../api/meta/object.js';
import type { KindDefinition, StrategyContext } from '../../api/scheme/kind.js';
import { restoreAllMetadata } from '../../api/scheme/restore.js';
import { customColumns } from './custom-columns.js';
import { deprecationWarning } from './deprecation.js';
import { finalizerWarnings } from './finalizer-warnings.js';

type Fields = Record<string, unknown>;

/** What the versions of one custom kind share. */
export interface CustomKindVersions {
  readonly definition: V1CustomResourceDefinition;
  readonly hub: CustomVersion;
  /** By name. */
  readonly versions: ReadonlyMap<string, CustomVersion>;
}

/** The rules of a custom kind, as requests to one of its versions meet them. Objects are in the storage version; those of a request are judged by its own. */
export function customKind(kind: CustomKindVersions, version: CustomVersion): KindDefinition {
  const { definition, hub } = kind;
  const { group } = definition.spec;
  const accepted = definition.status?.acceptedNames;
  const requested = (context: StrategyContext): CustomVersion => kind.versions.get(context.apiVersion?.slice(group.length + 1) ?? '') ?? hub;
  const { subresources, deprecated } = version.definition;
  const scale = subresources?.scale;
  return {
    group,
    version: hub.definition.name,
    kind: accepted?.kind ?? definition.spec.names.kind,
    tracksGeneration: true,
    // It is set below: what counts as a change is up to the version.
    generationStays: true,
    allowUnconditionalUpdate: false,
    defaults: (draft) => void hub.fillDefaults(draft),
    prepareForCreate: (draft, context) => {
      if (requested(context).definition.subresources?.status) delete (draft as Fields)['status'];
    },
    prepareForUpdate: (draft, old, context) => {
      if (requested(context).definition.subresources?.status) keep(draft as Fields, old as Fields, 'status');
      if (contentChanged(draft as Fields, old as Fields)) (draft.metadata ??= {}).generation = (old.metadata?.generation ?? 0) + 1;
    },
    validateInSteps: (object, old, context) => (old === undefined ? requested(context).validate(object) : requested(context).validateUpdate(object, old)),
    whenRead: (object) => {
      if (hub.isSettled(object)) return object;
      const draft = toDraft(object);
      hub.settle(draft);
      return draft as KubeObject;
    },
    warnings: finalizerWarnings,
    subresources: {
      status: {
        prepareForUpdate: onlyStatus,
        validateInSteps: (object, old, context) => requested(context).validateStatus(object, old ?? {}),
      },
    },
    columns: customColumns(version.definition.additionalPrinterColumns),
    selectableFields: selectableFields(version === hub ? [...kind.versions.values()] : [version]),
    unknownFieldMessage: (field) => `field label not supported: ${field}`,
    ...(deprecated ? { deprecation: deprecationWarning(definition, version.definition) } : {}),
    ...(scale
      ? {
          scale: {
            specReplicas: scale.specReplicasPath.replace(/^\./, ''),
            statusReplicas: scale.statusReplicasPath.replace(/^\./, ''),
            selector: (object: KubeObject) => {
              const value = scale.labelSelectorPath ? valueAt(object, scale.labelSelectorPath) : undefined;
              return typeof value === 'string' ? value : '';
            },
          },
        }
      : {}),
  };
}

/** An object of the storage version as one of another version, or the other way round. */
export function retagged(object: KubeObject, group: string, version: CustomVersion, sameSchema: boolean): KubeObject {
  const apiVersion = apiVersionOf({ group, version: version.definition.name });
  if (sameSchema) return { ...object, apiVersion };
  const draft = toDraft(object);
  version.prune(draft);
  draft.apiVersion = apiVersion;
  return draft as KubeObject;
}

function selectableFields(versions: readonly CustomVersion[]): Readonly<Record<string, (object: KubeObject) => string>> {
  const fields: Record<string, (object: KubeObject) => string> = {};
  for (const { jsonPath } of versions.flatMap((version) => version.definition.selectableFields ?? [])) {
    const path = JsonPath.parse(jsonPath);
    if (path === undefined) continue;
    fields[jsonPath.replace(/^\./, '')] = (object) => {
      const [value] = path.find(object);
      return value === undefined || value === null ? '' : String(value as string | number | boolean);
    };
  }
  return fields;
}

/** A write to `status` changes nothing else. */
function onlyStatus(draft: Draft<KubeObject>, old: KubeObject): void {
  const fields = draft as Fields;
  const stored = old as Fields;
  for (const key of new Set([...Object.keys(fields), ...Object.keys(stored)])) if (!['status', 'metadata', 'apiVersion', 'kind'].includes(key)) keep(fields, stored, key);
  restoreAllMetadata(draft, old);
}

function keep(fields: Fields, old: Fields, key: string): void {
  if (old[key] === undefined) delete fields[key];
  else fields[key] = old[key];
}

/** Whether anything but metadata differs. */
function contentChanged(next: Fields, old: Fields): boolean {
  return [...new Set([...Object.keys(next), ...Object.keys(old)])].some((key) => !['metadata', 'apiVersion', 'kind'].includes(key) && !deepEqual(next[key], old[key]));
}
