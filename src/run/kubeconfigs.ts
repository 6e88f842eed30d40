import type { CertificatePair } from '../base/tls/authority.js';
import type { Kubeconfig } from '../client/index.js';

/** Name of context, cluster and user in every kubeconfig of ours. */
export const CONTEXT = 'kube';

/** A kubeconfig with one context for a client certificate. */
export function clientKubeconfig(server: string, ca: string, client: CertificatePair): Kubeconfig {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: CONTEXT, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: CONTEXT, user: { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) } }],
    contexts: [{ name: CONTEXT, context: { cluster: CONTEXT, user: CONTEXT } }],
    'current-context': CONTEXT,
  };
}
