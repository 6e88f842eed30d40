import { run } from '../../base/steps.js';
import { ScaleEntries } from '../../api/apply/scale-entries.js';
import { valueAt } from '../../api/apiextensions/structural/scale-rules.js';
import type { Draft } from '../../api/draft.js';
import { toDraft } from '../../api/draft.js';
import type { V1Scale } from '../../api/generated/types.js';
import { invalid } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { KindDefinition } from '../../api/scheme/kind.js';
import { badRequestError, internalError, invalidError } from '../../api/status-error.js';
import { objectKey } from '../registry/resource-key.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { setManagedFields } from './field-managers.js';
import { managerName } from './manager-name.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondObject } from './respond.js';
import { viewOfScale } from './scale-view.js';
import { checkName } from './update.js';
import { includeObjectOption, writeOptions, type WriteOptions } from './write-options.js';

export const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

type ScalePaths = NonNullable<KindDefinition['scale']>;

/** GET of the `scale` subresource. */
export async function handleGetScale(core: ApiCore, request: ApiRequest, target: Target, paths: ScalePaths): Promise<ApiResponse> {
  await core.cacher.fresh();
  const entry = await target.registry.current(objectKey(namespaceOf(request, target), request.info.name));
  if (!entry) throw target.registry.notFound(request.info.name);
  if (target.resource.custom && !hasReplicas(entry.object, paths)) throw internalError(`the spec replicas field ${JSON.stringify(`.${paths.specReplicas}`)} does not exist`);
  return respondScale(core, request, target, scaleOf(entry.object, paths));
}

/** Built-in kinds always have replicas. */
function hasReplicas(object: KubeObject, paths: ScalePaths): boolean {
  return valueAt(object, paths.specReplicas) !== undefined;
}

/** PUT of the `scale` subresource. */
export async function handleUpdateScale(core: ApiCore, request: ApiRequest, target: Target, paths: ScalePaths): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  const options = writeOptions('UpdateOptions', request.query);
  const sent = await run(core.codec.decodeKind<V1Scale>(request, SCALE_KIND.group, SCALE_KIND.version, SCALE_KIND.kind, options.fieldValidation));
  checkName(sent.metadata?.name ?? '', request.info.name);
  const namespace = namespaceOf(request, target);
  if (sent.metadata?.namespace && sent.metadata.namespace !== namespace) {
    throw badRequestError('the namespace of the provided object does not match the namespace sent on the request');
  }
  const { scale: manager } = core.fieldManagers;
  return writeScale(core, request, target, paths, options, (present) => {
    const scale = toDraft(sent as V1Scale);
    setManagedFields(scale as Draft<KubeObject>, manager.update(present, scale as V1Scale, managerName(request, options.fieldManager), core.fieldManagers.now()));
    return scale;
  }, sent.metadata?.uid);
}

/** Writes a scale; `wanted` is given the present one. `uid`: the one that the object must have. Shared with PATCH. */
export async function writeScale(
  core: ApiCore,
  request: ApiRequest,
  target: Target,
  paths: ScalePaths,
  options: WriteOptions,
  wanted: (present: V1Scale) => Draft<V1Scale> | Promise<Draft<V1Scale>>,
  uid?: string,
): Promise<ApiResponse> {
  const base = new AdmissionBase(request, target, request.info.name, options.dryRun, options.raw);
  let scale: Draft<V1Scale> | undefined;
  let before: V1Scale | undefined;
  const { entry } = await target.registry.update({
    namespace: namespaceOf(request, target),
    name: request.info.name,
    user: request.user,
    dryRun: options.dryRun,
    // The replicas are part of the spec: the rules of the object itself apply.
    subresource: '',
    ...(uid === undefined ? {} : { uid }),
    warn: (text) => request.warn(text),
    wanted: async (old) => {
      if (!old) throw target.registry.notFound(request.info.name);
      const entries = new ScaleEntries(target.resource.hubApiVersion, paths.specReplicas);
      const owners = entries.ofScale(old.metadata?.managedFields);
      before = scaleOf(old, paths);
      if (owners) before = { ...before, metadata: { ...before.metadata, managedFields: [...owners] } };
      scale = await wanted(before);
      await core.admission.admit(base.attributes('UPDATE', scale as Draft<KubeObject>, before as KubeObject, SCALE_KIND));
      const draft = withReplicas(old, paths, scale, target.resource.custom !== undefined);
      setManagedFields(draft, entries.ofParent(old.metadata?.managedFields, scale.metadata?.managedFields));
      return draft;
    },
    validateCreate: () => undefined,
    validateUpdate: () => core.admission.validate(base.attributes('UPDATE', scale as Draft<KubeObject>, before as KubeObject, SCALE_KIND)),
  });
  return respondScale(core, request, target, scaleOf(entry.object, paths));
}

async function respondScale(core: ApiCore, request: ApiRequest, target: Target, scale: V1Scale): Promise<ApiResponse> {
  if (request.inProcess) return respondObject(core, request, 200, scale);
  const { target: wanted } = negotiateFor(core, request, target.resource);
  const custom = target.resource.custom !== undefined;
  const include = wanted?.kind === 'Table' ? includeObjectOption(request.query) : 'Metadata';
  return respondObject(core, request, 200, viewOfScale(scale, wanted, include, custom, core.clock.now()), custom ? 'custom' : 'object');
}

function scaleOf(object: KubeObject, paths: ScalePaths): V1Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata ?? {};
  const selector = paths.selector(object);
  const replicas = numberAt(object, paths.specReplicas);
  return {
    kind: SCALE_KIND.kind,
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(object, paths.statusReplicas), ...(selector === '' ? {} : { selector }) },
  } as V1Scale;
}

/** The object with the replicas of a scale, under the scale's resource version. */
function withReplicas(old: KubeObject, paths: ScalePaths, scale: Draft<V1Scale>, custom: boolean): Draft<KubeObject> {
  const replicas = scale.spec?.replicas ?? 0;
  // Custom kinds say it in the words of their schema.
  if (replicas < 0 && !custom) {
    throw invalidError(SCALE_KIND, scale.metadata?.name ?? '', [invalid(FieldPath.of('spec', 'replicas'), replicas, 'must be greater than or equal to 0')]);
  }
  const draft = toDraft(old);
  const names = paths.specReplicas.split('.').filter((name) => name !== '');
  let place = draft as unknown as Record<string, unknown>;
  for (const name of names.slice(0, -1)) place = (place[name] ??= {}) as Record<string, unknown>;
  place[names[names.length - 1]!] = replicas;
  const sent = scale.metadata?.resourceVersion ?? '';
  // A scale of a custom kind that names no version is written over whatever there is, though the object itself could not be.
  if (sent !== '' || !custom) draft.metadata = { ...draft.metadata, resourceVersion: sent };
  return draft;
}

function numberAt(object: KubeObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}
