import { assembleAuthentication } from './authn/assemble.js';
import { assembleAuthorization } from './authz/assemble.js';
import { postStartHooks } from './bootstrap/hooks.js';
import type { ServerContext, ServerParts } from './server-context.js';

/** Everything that is plugged into the generic server. */
export function assembleParts(context: ServerContext): ServerParts {
  const authentication = assembleAuthentication(context);
  const authorization = assembleAuthorization(context);
  return {
    authenticators: [authentication.requests],
    authorizers: [authorization.chain],
    admission: [],
    handlers: [],
    hooks: new Map(),
    postStart: postStartHooks(),
  };
}
