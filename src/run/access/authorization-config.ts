import { readConfigDocument } from './config-document.js';

const TYPES = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Reads an `AuthorizationConfiguration` (v1, v1beta1, v1alpha1 of `apiserver.config.k8s.io`): the modes in order. Webhooks are refused, since they
 * are not there yet. Throws `KUBE_ACCESS_FILE`.
 */
export function readAuthorizationConfig(file: string, text: string): readonly string[] {
  const root = readConfigDocument(file, text, 'AuthorizationConfiguration', ['v1', 'v1beta1', 'v1alpha1']);
  root.only('apiVersion', 'kind', 'authorizers');
  const authorizers = root.children('authorizers');
  if (authorizers.length === 0) root.fail('authorizers', 'at least one authorization mode must be defined');
  const names = new Set<string>();
  const types: string[] = [];
  for (const authorizer of authorizers) {
    authorizer.only('type', 'name', 'webhook');
    const [type, name] = [authorizer.text('type'), authorizer.text('name')];
    if (!TYPES.includes(type)) authorizer.fail('type', `${type === '' ? 'is missing' : `${JSON.stringify(type)} is not supported`}: one of ${TYPES.join(', ')}`);
    if (type === 'Webhook') authorizer.fail('type', 'Webhook is not supported yet');
    if (types.includes(type)) authorizer.fail('type', `${type} is there twice`);
    if (name.length > 253 || !NAME.test(name)) authorizer.fail('name', 'must be a lower-case DNS subdomain');
    if (names.has(name)) authorizer.fail('name', `${JSON.stringify(name)} is there twice`);
    if (authorizer.fields['webhook'] !== undefined && authorizer.fields['webhook'] !== null) authorizer.fail('webhook', 'may only be specified when type=Webhook');
    types.push(type);
    names.add(name);
  }
  return types;
}
