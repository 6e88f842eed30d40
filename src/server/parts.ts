import { assembleAdmission } from './admission/plugins.js';
import { assembleAuthentication } from './authn/assemble.js';
import { assembleAuthorization } from './authz/assemble.js';
import { localRegistrationCheck } from './bootstrap/api-services.js';
import { postStartHooks } from './bootstrap/hooks.js';
import { selfSubjectReviewHandler, tokenReviewHandler } from './registry/authentication/reviews.js';
import { accessReviewHandlers } from './registry/authorization/reviews.js';
import { CertificateSigningRequestHook } from './registry/certificates/certificate-signing-request.js';
import { nodeProxyHandlers } from './nodeproxy/handlers.js';
import { bindingHandlers } from './registry/core/binding.js';
import { componentStatusHandler } from './registry/core/component-status.js';
import { tokenRequestHandler } from './registry/core/service-account-token.js';
import { ServiceHook } from './registry/core/service.js';
import type { RegistryHook } from './registry/hooks.js';
import { evictionHandler } from './registry/policy/eviction.js';
import type { ServerContext, ServerParts } from './server-context.js';

/** Everything that is plugged into the generic server. */
export function assembleParts(context: ServerContext): ServerParts {
  const authentication = assembleAuthentication(context);
  const authorization = assembleAuthorization(context);
  return {
    authenticators: [authentication.requests],
    authorizers: [authorization.chain],
    admission: assembleAdmission(context, authorization.rbac),
    handlers: [
      ...bindingHandlers(context),
      evictionHandler(context),
      tokenRequestHandler(context),
      tokenReviewHandler(context, authentication.tokens),
      selfSubjectReviewHandler(context),
      ...accessReviewHandlers(context, authorization.chain),
      componentStatusHandler(context),
      ...nodeProxyHandlers(context),
    ],
    hooks: new Map<string, RegistryHook>([
      ['/services', new ServiceHook(context) as RegistryHook],
      ['certificates.k8s.io/certificatesigningrequests', new CertificateSigningRequestHook() as RegistryHook],
    ]),
    postStart: postStartHooks(),
    healthChecks: [{ name: 'autoregister-completion', check: localRegistrationCheck(context.view) }],
  };
}
