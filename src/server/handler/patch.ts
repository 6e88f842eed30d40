import { toDraft, type Draft } from '../../api/draft.js';
import type { V1Scale } from '../../api/generated/types.js';
import type { GroupVersionKind, KubeObject } from '../../api/meta/object.js';
import type { JsonObject } from '../../api/patch/json.js';
import { PATCH_MEDIA_TYPES, type PatchType, type PreparedPatch } from '../../api/patch/apply-patch.js';
import type { KindDefinition } from '../../api/scheme/kind.js';
import { StatusError, unsupportedMediaTypeError } from '../../api/status-error.js';
import { dedupOwnerReferences, ensureNamespace, metadataOf, ownerReferenceWarning } from '../registry/object-metadata.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { hubDraft } from './hub-draft.js';
import { bareMediaType } from './media-types.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry } from './respond.js';
import { SCALE_KIND, writeScale } from './scale.js';
import { checkName, validateCreate } from './update.js';
import { writeOptions, type WriteOptions } from './write-options.js';

/** PATCH of an object or of a subresource that is written like it. */
export async function handlePatch(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  const { resource } = target;
  const { apply, options } = readPatch(core, request, resource.kind);
  const namespace = namespaceOf(request, target);
  const base = new AdmissionBase(request, target, request.info.name, options.dryRun, options.raw);
  const { entry } = await target.registry.update({
    namespace,
    name: request.info.name,
    user: request.user,
    dryRun: options.dryRun,
    apiVersion: target.resource.apiVersion,
    subresource: request.info.subresource,
    warn: (text) => request.warn(text),
    wanted: async (old) => {
      if (!old) throw target.registry.notFound(request.info.name);
      const served = resource.conversion ? resource.conversion.fromHub(old) : old;
      const draft = hubDraft(resource, apply(served));
      const metadata = metadataOf(draft);
      ensureNamespace(metadata, namespace);
      checkName(metadata.name ?? '', request.info.name);
      await core.admission.admit(base.attributes('UPDATE', draft, old));
      const duplicates = dedupOwnerReferences(metadataOf(draft));
      if (duplicates.length > 0) request.warn(ownerReferenceWarning(duplicates, true));
      return draft;
    },
    validateCreate: (object) => validateCreate(core, request, base, object),
    validateUpdate: (object, old) => core.admission.validate(base.attributes('UPDATE', object as Draft<KubeObject>, old)),
  });
  return respondEntry(core, request, resource, 200, entry);
}

/** PATCH of the `scale` subresource. */
export function handlePatchScale(core: ApiCore, request: ApiRequest, target: Target, paths: NonNullable<KindDefinition['scale']>): Promise<ApiResponse> {
  core.negotiator.negotiate(request.accept);
  const { apply, options } = readPatch(core, request, SCALE_KIND);
  return writeScale(core, request, target, paths, options, (present) => {
    const scale = apply(present as KubeObject) as Draft<V1Scale>;
    checkName(scale.metadata?.name ?? '', request.info.name);
    return scale;
  });
}

interface SentPatch {
  readonly options: WriteOptions;
  /** The patched object, checked against its type, to be changed freely. */
  apply(object: KubeObject): Draft<KubeObject>;
}

function readPatch(core: ApiCore, request: ApiRequest, kind: GroupVersionKind): SentPatch {
  const { body } = request;
  const type = patchType(body.type === 'none' ? '' : bareMediaType(body.mediaType));
  const options = writeOptions('PatchOptions', request.query, type === 'apply');
  if (type === 'apply') throw unsupportedMediaTypeError('server-side apply is not supported by this server; use a JSON patch, a merge patch or a strategic merge patch');
  let prepared: PreparedPatch | undefined;
  return {
    options,
    apply: (object) => {
      // Not before the object is known to exist: its absence is reported first.
      prepared ??= core.codec.preparePatch(request, type, kind, options.fieldValidation);
      const { object: patched, warnings } = prepared.apply(object as JsonObject);
      for (const text of warnings) request.warn(text);
      // It shares with the stored object whatever the patch left alone.
      return toDraft(patched) as Draft<KubeObject>;
    },
  };
}

function patchType(mediaType: string): PatchType {
  for (const [type, name] of Object.entries(PATCH_MEDIA_TYPES)) if (name === mediaType) return type as PatchType;
  // As upstream's router says it.
  throw new StatusError({
    kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: '415: Unsupported Media Type', reason: 'UnsupportedMediaType', details: {}, code: 415,
  });
}
