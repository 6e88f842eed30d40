import type { PostStartHook } from '../server-context.js';
import { localAvailability, localRegistration } from './api-services.js';
import { authenticationInfo, legacyTokenTracking } from './authentication-info.js';
import { flowControl } from './flow-control.js';
import { defaultServiceCidr, kubernetesService } from './kubernetes-service.js';
import { systemNamespaces } from './namespaces.js';
import { systemPriorityClasses } from './priority-classes.js';
import { repairServiceAllocations } from '../registry/core/service-repair.js';
import { clusterRoleAggregation } from './rbac/aggregation.js';
import { bootstrapRoles } from './rbac/hook.js';

/** What the server makes after it listens, in order: namespaces first, since others live in them. */
export function postStartHooks(): readonly PostStartHook[] {
  return [
    systemNamespaces,
    bootstrapRoles,
    systemPriorityClasses,
    defaultServiceCidr,
    repairServiceAllocations,
    kubernetesService,
    authenticationInfo,
    flowControl,
    localRegistration,
    localAvailability,
    legacyTokenTracking,
    clusterRoleAggregation,
  ];
}
