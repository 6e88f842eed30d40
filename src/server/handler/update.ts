import { pause, run } from '../../base/steps.js';
import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import { badRequestError } from '../../api/status-error.js';
import { dedupOwnerReferences, ensureNamespace, metadataOf, ownerReferenceWarning } from '../registry/object-metadata.js';
import { forbiddenRequestError } from '../authz/forbidden.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { hasLargeBody } from './breathe.js';
import { hubDraft, settled } from './hub-draft.js';
import { managerName } from './manager-name.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry } from './respond.js';
import { writeOptions } from './write-options.js';

/** PUT of an object or of a subresource that is written like it. */
export async function handleUpdate(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  if (request.info.name === '' && target.resource.custom) throw badRequestError('name must be provided');
  const options = writeOptions('UpdateOptions', request.query);
  const hasLarge = hasLargeBody(request);
  const decoded = await run(core.codec.decodeObject(request, target.resource, options.fieldValidation));
  await pause(hasLarge);
  const sent = hubDraft(target.resource, decoded);
  const namespace = namespaceOf(request, target);
  const metadata = metadataOf(sent);
  ensureNamespace(metadata, namespace);
  checkName(metadata.name ?? '', request.info.name);
  const duplicates = dedupOwnerReferences(metadata);
  if (duplicates.length > 0) request.warn(ownerReferenceWarning(duplicates, false));

  const base = new AdmissionBase(request, target, request.info.name, options.dryRun, options.raw);
  const manager = managerName(request, options.fieldManager);
  let used = false;
  const { entry, created } = await target.registry.update({
    namespace,
    name: request.info.name,
    user: request.user,
    dryRun: options.dryRun,
    apiVersion: target.resource.apiVersion,
    subresource: request.info.subresource,
    uid: metadata.uid,
    warn: (text) => request.warn(text),
    large: hasLarge,
    wanted: async (old, large) => {
      // Preparation changes what it gets: another attempt begins from the body again.
      const wanted = used ? hubDraft(target.resource, await run(core.codec.decodeObject(request, target.resource, 'Ignore'))) : sent;
      if (used) ensureNamespace(metadataOf(wanted), namespace);
      used = true;
      await settled(target.resource, () => core.fieldManagers.trackSteps(target.resource, request.info.subresource, old, wanted, manager));
      await core.admission.admit(base.attributes(old ? 'UPDATE' : 'CREATE', wanted, old));
      await pause(large);
      return wanted;
    },
    validateCreate: (object) => validateCreate(core, request, base, object),
    validateUpdate: (object, old) => core.admission.validate(base.attributes('UPDATE', object as Draft<KubeObject>, old)),
  });
  return respondEntry(core, request, target.resource, created ? 201 : 200, entry);
}

/** The object must be the one in the path. */
export function checkName(name: string, expected: string): void {
  if (name === '') throw badRequestError(`the name of the object (${expected} based on URL) was undeterminable: name must be provided`);
  if (name !== expected) throw badRequestError(`the name of the object (${name}) does not match the name on the URL (${expected})`);
}

/** An update that creates needs the right to create as well. */
export async function validateCreate(core: ApiCore, request: ApiRequest, base: AdmissionBase, object: KubeObject): Promise<void> {
  const { info, user } = request;
  const attributes = { user, verb: 'create', isResourceRequest: true, namespace: info.namespace, group: info.group, version: info.version, resource: info.resource, subresource: info.subresource, name: info.name, path: info.path };
  const { decision, reason } = await core.authorize(attributes);
  if (decision !== 'allow') throw forbiddenRequestError(attributes, reason);
  await core.admission.validate(base.attributes('CREATE', object as Draft<KubeObject>, undefined));
}
