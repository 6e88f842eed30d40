import { KubeApiServer, type ApiServer } from './api-server.js';
import { assembleParts } from './parts.js';
import type { ApiServerOptions, ServerContext, ServerEnvironment, ServerParts } from './server-context.js';

export type { ApiServer } from './api-server.js';
export type { ApiServerOptions, KeyPair, ServerContext, ServerEnvironment, ServerParts } from './server-context.js';
export { readAdmissionConfiguration, type AdmissionConfiguration } from './admission/config/admission-configuration.js';
export { loadWebhookKubeconfig } from './webhook/load-kubeconfig.js';
export { chosenPlugins } from './admission/plugin-names.js';
export type { UserInfo } from './authn/authenticator.js';
export type { PasswordUser } from './authn/basic.js';
export type { RequestHeaderOptions } from './authn/request-header.js';
export type { AbacPolicy } from './authz/abac.js';

/**
 * An API server over a store. `start` resolves when it listens, `ready` when its bootstrap is complete; the store is the
 * caller's to close, after `stop`. `assemble` replaces the parts plugged in, for tests.
 */
export function createApiServer(options: ApiServerOptions, environment: ServerEnvironment, assemble: (context: ServerContext) => ServerParts = assembleParts): ApiServer {
  return new KubeApiServer(options, environment, assemble);
}
