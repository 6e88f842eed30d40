import type { V1OwnerReference } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ServerContext } from '../server-context.js';
import type { AuthorizationAttributes } from '../authz/authorizer.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

type Asked = Pick<AuthorizationAttributes, 'verb' | 'namespace' | 'group' | 'version' | 'resource' | 'subresource' | 'name'>;

/**
 * Owner references change who deletes an object: changing them needs permission to delete it. One that blocks the deletion of the owner needs permission for the
 * owner's finalizers.
 */
export class OwnerReferencesPermissionEnforcement implements AdmissionPlugin {
  readonly name = 'OwnerReferencesPermissionEnforcement';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  validate(a: AdmissionAttributes): void | Promise<void> {
    if (concerns(a, '', 'pods', 'status')) return;
    const before = ownersOf(a.oldObject);
    const after = ownersOf(a.object);
    if (!deepEqual(before, after)) return this.check(a, before, after);
  }

  private async check(a: AdmissionAttributes, before: readonly V1OwnerReference[], after: readonly V1OwnerReference[]): Promise<void> {
    if (a.operation !== 'CREATE') {
      const { group, version, resource } = a.resource;
      const reason = await this.missing(a, { verb: 'delete', namespace: a.namespace, group, version, resource, subresource: a.subresource, name: a.name });
      if (reason !== undefined) throw refusal(a, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
    }
    const blocking = newlyBlocking(before, after);
    if (blocking.length === 0) return;
    const anything = { verb: 'update', namespace: '', group: '*', version: '*', resource: '*', subresource: 'finalizers', name: '*' };
    if ((await this.missing(a, anything)) === undefined) return;
    for (const owner of blocking) {
      const reason = await this.missing(a, this.finalizersOf(a, owner));
      if (reason !== undefined) throw refusal(a, `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`);
    }
  }

  private finalizersOf(a: AdmissionAttributes, { apiVersion, kind, name }: V1OwnerReference): Asked {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const version = apiVersion.slice(slash + 1);
    const facts = this.context.core().scheme.kind(group, version, kind)?.facts;
    if (!facts) {
      throw refusal(a, `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`);
    }
    return { verb: 'update', namespace: facts.namespaced ? a.namespace : '', group, version, resource: facts.resource, subresource: 'finalizers', name };
  }

  /** Why the user may not; undefined when they may. */
  private async missing(a: AdmissionAttributes, asked: Asked): Promise<string | undefined> {
    const { decision, reason } = await this.context.authorize({ user: a.user, isResourceRequest: true, path: '', ...asked });
    return decision === 'allow' ? undefined : reason;
  }
}

const ownersOf = (object: KubeObject | undefined): readonly V1OwnerReference[] => object?.metadata?.ownerReferences ?? [];

/** Those that block now, and were not there or did not before. */
function newlyBlocking(before: readonly V1OwnerReference[], after: readonly V1OwnerReference[]): V1OwnerReference[] {
  const blocked = new Map(before.map(({ uid, blockOwnerDeletion }) => [uid, blockOwnerDeletion === true]));
  return after.filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && blocked.get(uid) !== true);
}
