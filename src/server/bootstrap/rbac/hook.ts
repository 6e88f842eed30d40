import type { KubeObject } from '../../../api/meta/object.js';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, type ResourceRef } from '../../../api/resource-refs.js';
import { StatusError } from '../../../api/status-error.js';
import type { PostStartHook, ServerContext } from '../../server-context.js';
import { createIfAbsent } from '../ensure.js';
import { defaultClusterRoleBindings, defaultClusterRoles, defaultRoleBindings, defaultRoles } from './objects.js';
import { repairBinding, repairRole, type Repair } from './reconcile.js';

/** Creates the default roles and bindings and mends those that still carry the annotation. */
export const bootstrapRoles: PostStartHook = {
  name: 'rbac/bootstrap-roles',
  run: async (context) => {
    await Promise.all([
      ...defaultClusterRoles().map((role) => settle(context, CLUSTER_ROLES, role, repairRole)),
      ...defaultRoles().map((role) => settle(context, ROLES, role, repairRole)),
      ...defaultClusterRoleBindings().map((binding) => settle(context, CLUSTER_ROLE_BINDINGS, binding, repairBinding)),
      ...defaultRoleBindings().map((binding) => settle(context, ROLE_BINDINGS, binding, repairBinding)),
    ]);
  },
};

async function settle<T extends KubeObject>(context: ServerContext, ref: ResourceRef<T>, wanted: T, repair: (stored: T, wanted: T) => Repair<T>): Promise<void> {
  const { namespace = '', name = '' } = wanted.metadata ?? {};
  const stored = context.view.get(ref, namespace, name);
  if (!stored) {
    await createIfAbsent(context, ref, wanted);
    return;
  }
  const result = repair(stored, wanted);
  if (result.type === 'none') return;
  const client = context.loopback.resource(ref);
  try {
    if (result.type === 'update') await client.update(result.object);
    else {
      await client.delete(namespace, name);
      await client.create(result.object);
    }
  } catch (error) {
    // Another server mends the same things at the same time.
    if (!StatusError.is(error, 'Conflict') && !StatusError.is(error, 'AlreadyExists') && !StatusError.is(error, 'NotFound')) throw error;
  }
}
