import { pause, run, type Steps } from '../../base/steps.js';
import type { FieldManager } from '../../api/apply/field-manager.js';
import { toDraftSteps, type Draft } from '../../api/draft.js';
import type { V1Scale } from '../../api/generated/types.js';
import type { GroupVersionKind, KubeObject } from '../../api/meta/object.js';
import type { JsonObject } from '../../api/patch/json.js';
import { PATCH_MEDIA_TYPES, type PatchType, type PreparedPatch } from '../../api/patch/apply-patch.js';
import type { KindDefinition } from '../../api/scheme/kind.js';
import { badRequestError, StatusError } from '../../api/status-error.js';
import { dedupOwnerReferences, ensureNamespace, metadataOf, ownerReferenceWarning } from '../registry/object-metadata.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { prepareApply } from './apply.js';
import { hasLargeBody, isLarge } from './breathe.js';
import { setManagedFields } from './field-managers.js';
import { hubDraft, settled } from './hub-draft.js';
import { managerName } from './manager-name.js';
import { bareMediaType, unsupportedBodyError } from './media-types.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry } from './respond.js';
import { SCALE_KIND, writeScale } from './scale.js';
import { checkNotTerminating } from './terminating.js';
import { checkName, validateCreate } from './update.js';
import { writeOptions, type WriteOptions } from './write-options.js';

/** PATCH of an object or of a subresource that is written like it. */
export async function handlePatch(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  const { resource } = target;
  const { subresource } = request.info;
  if (resource.custom) {
    checkCustomType(request);
    if (request.info.name === '') throw badRequestError('name must be provided');
  }
  const { apply, track, applies, options } = readPatch(core, request, resource.kind, core.fieldManagers.of(resource, subresource));
  const namespace = namespaceOf(request, target);
  const base = new AdmissionBase(request, target, request.info.name, options.dryRun, options.raw);
  let large = hasLargeBody(request);
  const creates = applies && (subresource === '' || resource.definition.allowCreateOnUpdate === true);
  const { entry, created } = await target.registry.update({
    namespace,
    name: request.info.name,
    user: request.user,
    dryRun: options.dryRun,
    apiVersion: target.resource.apiVersion,
    subresource,
    ...(creates ? { creates } : {}),
    warn: (text) => request.warn(text),
    get large() {
      return large;
    },
    wanted: async (old, isOldLarge) => {
      large ||= isOldLarge;
      if (!old && !creates) throw target.registry.notFound(request.info.name);
      const served = old && resource.conversion ? resource.conversion.fromHub(old) : old;
      const patched = await settled(resource, () => apply(served));
      large ||= isLarge(patched);
      await pause(large);
      const draft = hubDraft(resource, patched);
      await pause(large);
      if (track) await settled(resource, () => core.fieldManagers.trackSteps(resource, subresource, old, draft, managerName(request, options.fieldManager)));
      const metadata = metadataOf(draft);
      ensureNamespace(metadata, namespace);
      checkName(metadata.name ?? '', request.info.name);
      if (!old) checkNotTerminating(resource, request.info.name);
      await pause(large);
      await core.admission.admit(base.attributes(old ? 'UPDATE' : 'CREATE', draft, old));
      const duplicates = dedupOwnerReferences(metadataOf(draft));
      if (duplicates.length > 0) request.warn(ownerReferenceWarning(duplicates, true));
      return draft;
    },
    validateCreate: (object) => validateCreate(core, request, base, object),
    validateUpdate: (object, old) => core.admission.validate(base.attributes('UPDATE', object as Draft<KubeObject>, old)),
  });
  return respondEntry(core, request, resource, created ? 201 : 200, entry);
}

/** PATCH of the `scale` subresource. */
export function handlePatchScale(core: ApiCore, request: ApiRequest, target: Target, paths: NonNullable<KindDefinition['scale']>): Promise<ApiResponse> {
  if (target.resource.custom) checkCustomType(request);
  negotiateFor(core, request, target.resource);
  const { scale: manager } = core.fieldManagers;
  const { apply, track, options } = readPatch(core, request, SCALE_KIND, manager);
  return writeScale(core, request, target, paths, options, async (present) => {
    const scale = (await run(apply(present as KubeObject))) as Draft<V1Scale>;
    if (track) setManagedFields(scale as Draft<KubeObject>, manager.update(present, scale as V1Scale, managerName(request, options.fieldManager), core.fieldManagers.now()));
    checkName(scale.metadata?.name ?? '', request.info.name);
    return scale;
  });
}

interface SentPatch {
  readonly options: WriteOptions;
  /** Managed fields are still to be set after {@link apply}. */
  readonly track: boolean;
  /** A server-side apply: it may create the object. */
  readonly applies: boolean;
  /** The patched object, checked against its type, to be changed freely. `object` is undefined only when the patch creates. */
  apply(object: KubeObject | undefined): Steps<Draft<KubeObject>>;
}

function readPatch(core: ApiCore, request: ApiRequest, kind: GroupVersionKind, manager: FieldManager): SentPatch {
  const { body } = request;
  const type = patchType(body.type === 'none' ? '' : bareMediaType(body.mediaType));
  const options = writeOptions('PatchOptions', request.query, type === 'apply');
  if (type === 'apply') {
    const { apply } = prepareApply(core, request, kind, manager, options);
    return { options, track: false, applies: true, apply };
  }
  let prepared: PreparedPatch | undefined;
  return {
    options,
    track: true,
    applies: false,
    apply: function* (object) {
      // Not before the object is known to exist: its absence is reported first.
      prepared ??= yield* core.codec.preparePatch(request, type, kind, options.fieldValidation);
      yield;
      const { object: patched, warnings } = yield* prepared.apply(object as JsonObject);
      yield;
      for (const text of warnings) request.warn(text);
      // It shares with the stored object whatever the patch left alone.
      return (yield* toDraftSteps(patched)) as Draft<KubeObject>;
    },
  };
}

/** Custom kinds have no merge keys that a strategic patch could use. */
function checkCustomType({ body }: ApiRequest): void {
  const accepted: readonly string[] = [PATCH_MEDIA_TYPES.json, PATCH_MEDIA_TYPES.merge, PATCH_MEDIA_TYPES.apply];
  if (!accepted.includes(body.type === 'none' ? '' : bareMediaType(body.mediaType))) throw unsupportedBodyError(accepted);
}

function patchType(mediaType: string): PatchType {
  for (const [type, name] of Object.entries(PATCH_MEDIA_TYPES)) if (name === mediaType) return type as PatchType;
  // As upstream's router says it.
  throw new StatusError({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: '415: Unsupported Media Type', reason: 'UnsupportedMediaType', details: {}, code: 415,
  });
}
