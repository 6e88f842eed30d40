import { readConfigDocument } from './config-document.js';

/** Where the anonymous user is let in. */
export interface AnonymousConfig {
  readonly enabled: boolean;
  /** Empty: everywhere. */
  readonly paths: readonly string[];
}

/**
 * Reads an `AuthenticationConfiguration` (v1, v1beta1, v1alpha1 of `apiserver.config.k8s.io`); undefined when it says nothing about the anonymous user.
 * Entries of `jwt` are refused, since outside identity providers are not there yet. Throws `KUBE_ACCESS_FILE`.
 */
export function readAuthenticationConfig(file: string, text: string): AnonymousConfig | undefined {
  const root = readConfigDocument(file, text, 'AuthenticationConfiguration', ['v1', 'v1beta1', 'v1alpha1']);
  root.only('apiVersion', 'kind', 'jwt', 'anonymous');
  if (root.children('jwt').length > 0) root.fail('jwt', 'tokens of outside identity providers are not supported yet: leave the list empty');
  const anonymous = root.child('anonymous');
  if (!anonymous) return undefined;
  anonymous.only('enabled', 'conditions');
  const enabled = anonymous.fields['enabled'] ?? false;
  if (typeof enabled !== 'boolean') anonymous.fail('enabled', 'must be true or false');
  const conditions = anonymous.children('conditions');
  if (enabled !== true && conditions.length > 0) anonymous.fail('conditions', 'enabled should be set to true when conditions are defined');
  const paths = conditions.map((condition) => {
    condition.only('path');
    return condition.text('path');
  });
  return { enabled: enabled === true, paths };
}
