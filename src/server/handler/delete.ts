import type { DeletionResult } from '../registry/deletion.js';
import { deleteObject } from '../registry/deletion.js';
import { returnsDeletedObject } from '../registry/finalization.js';
import { AdmissionBase } from './admission-attributes.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { deleteOptions, type DeleteOptions } from './delete-options.js';
import { namespaceOf } from './request-namespace.js';
import { negotiateFor, respondEntry, respondObject } from './respond.js';

/** DELETE of one object. */
export async function handleDelete(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  negotiateFor(core, request, target.resource);
  const options = await deleteOptions(core, request);
  warnAboutJobs(request, target, options);
  const { entry, deleted, uid } = await deleteOne(core, request, target, request.info.name, options);
  const code = !deleted && options.values.orphanDependents === false ? 202 : 200;
  if (!deleted || returnsDeletedObject(target.resource.storage)) return respondEntry(core, request, target.resource, code, entry);
  const { group, resource } = target.resource.groupResource;
  return respondObject(core, request, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: request.info.name, ...(group === '' ? {} : { group }), kind: resource, uid },
  }, target.resource.custom === undefined ? 'object' : 'custom');
}

/** Deletes the object of this name as the options say, admission included. `requestedName`: the name in the request; a collection has none. */
export function deleteOne(core: ApiCore, request: ApiRequest, target: Target, name: string, options: DeleteOptions, requestedName = name): Promise<DeletionResult> {
  return deleteObject(target.registry, {
    namespace: namespaceOf(request, target),
    name,
    user: request.user,
    dryRun: options.dryRun,
    options: options.values,
    warn: (text) => request.warn(text),
    validate: async (old) => {
      const base = new AdmissionBase(request, target, requestedName, options.dryRun, isNamespace(target) ? withUid(options.raw, old.metadata?.uid) : options.raw);
      const attributes = base.attributes('DELETE', undefined, old);
      await core.admission.admit(attributes);
      await core.admission.validate(attributes);
    },
  });
}

function isNamespace({ resource: { storage } }: Target): boolean {
  return storage.group === '' && storage.resource === 'namespaces';
}

/** What is deleted of a namespace is the one that was looked at. */
function withUid(options: DeleteOptions['raw'], uid: string | undefined): DeleteOptions['raw'] {
  return { ...options, preconditions: { uid, ...(options['preconditions'] as object | undefined) } };
}

function warnAboutJobs(request: ApiRequest, target: Target, options: DeleteOptions): void {
  const { values } = options;
  const { definition } = target.resource;
  if (definition.kind !== 'Job' || !definition.orphanDependentsByDefault || values.orphanDependents !== undefined || values.propagationPolicy !== undefined) return;
  request.warn('child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning');
}
