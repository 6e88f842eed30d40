import { assembleAdmission } from './admission/plugins.js';
import { assembleAuthentication } from './authn/assemble.js';
import { assembleAuthorization } from './authz/assemble.js';
import { postStartHooks } from './bootstrap/hooks.js';
import { ServiceHook } from './registry/core/service.js';
import type { RegistryHook } from './registry/hooks.js';
import type { ServerContext, ServerParts } from './server-context.js';

/** Everything that is plugged into the generic server. */
export function assembleParts(context: ServerContext): ServerParts {
  const authentication = assembleAuthentication(context);
  const authorization = assembleAuthorization(context);
  return {
    authenticators: [authentication.requests],
    authorizers: [authorization.chain],
    admission: assembleAdmission(context, authorization.rbac),
    handlers: [],
    hooks: new Map<string, RegistryHook>([['/services', new ServiceHook(context) as RegistryHook]]),
    postStart: postStartHooks(),
  };
}
