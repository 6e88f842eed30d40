import { pause, run } from '../../base/steps.js';
import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import { dedupOwnerReferences, ensureNamespace, metadataOf, ownerReferenceWarning, wipeSystemFields } from '../registry/object-metadata.js';
import { createOptimistically } from '../registry/optimistic-write.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { hasLargeBody } from './breathe.js';
import { hubDraft, settled } from './hub-draft.js';
import { managerName } from './manager-name.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry } from './respond.js';
import { checkNotTerminating } from './terminating.js';
import { writeOptions } from './write-options.js';

/** POST of a new object. */
export function handleCreate(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  return createOptimistically(core.cacher, () => createOnce(core, request, target));
}

async function createOnce(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  const options = writeOptions('CreateOptions', request.query);
  const large = hasLargeBody(request);
  const decoded = await run(core.codec.decodeObject(request, target.resource, options.fieldValidation));
  await pause(large);
  const draft: Draft<KubeObject> = hubDraft(target.resource, decoded);
  const metadata = metadataOf(draft);
  const namespace = namespaceOf(request, target);
  wipeSystemFields(metadata);
  ensureNamespace(metadata, namespace);
  const duplicates = dedupOwnerReferences(metadata);
  if (duplicates.length > 0) request.warn(ownerReferenceWarning(duplicates, false));

  await settled(target.resource, () => core.fieldManagers.trackSteps(target.resource, '', undefined, draft, managerName(request, options.fieldManager)));
  const name = metadata.name ?? '';
  const base = new AdmissionBase(request, target, name, options.dryRun, options.raw);
  checkNotTerminating(target.resource, name);
  await core.admission.admit(base.attributes('CREATE', draft, undefined));
  await pause(large);
  const again = dedupOwnerReferences(metadataOf(draft));
  if (again.length > 0) request.warn(ownerReferenceWarning(again, true));
  const entry = await target.registry.create({
    namespace,
    name,
    user: request.user,
    dryRun: options.dryRun,
    apiVersion: target.resource.apiVersion,
    draft,
    warn: (text) => request.warn(text),
    large,
    validate: (object) => core.admission.validate(base.attributes('CREATE', object as Draft<KubeObject>, undefined)),
  });
  return respondEntry(core, request, target.resource, 201, entry);
}
