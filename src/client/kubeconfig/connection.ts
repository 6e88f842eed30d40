import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { KubeError, errorMessage } from '../../base/errors.js';
import type { HttpConnection } from '../http/connection.js';
import type { Kubeconfig } from './kubeconfig.js';

/**
 * How to reach the cluster of a context (default: the current one). Relative file names are taken from `directory`,
 * the kubeconfig's own. Errors: `KUBE_KUBECONFIG_INVALID` for what is missing or not supported (exec and auth-provider plugins).
 */
export async function connectionFromKubeconfig(config: Kubeconfig, directory: string, contextName: string = config['current-context'] ?? ''): Promise<HttpConnection> {
  const context = config.contexts?.find((entry) => entry.name === contextName)?.context;
  if (!context) throw invalid(contextName === '' ? 'the kubeconfig has no current context' : `the kubeconfig has no context named ${contextName}`);
  const cluster = config.clusters?.find((entry) => entry.name === context.cluster)?.cluster;
  if (!cluster?.server) throw invalid(`the kubeconfig's context ${contextName} names the cluster ${context.cluster}, which has no server`);
  const user = config.users?.find((entry) => entry.name === context.user)?.user ?? {};
  if ('exec' in user || 'auth-provider' in user) throw invalid(`the kubeconfig's user ${context.user} needs a credential plugin, which is not supported here`);

  const read = async (name: string | undefined): Promise<string | undefined> => {
    if (!name) return undefined;
    const file = path.resolve(directory, name);
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw invalid(`cannot read ${file}, which the kubeconfig names: ${errorMessage(error)}`);
    }
  };
  const pem = async (data: string | undefined, file: string | undefined): Promise<string | undefined> =>
    data ? Buffer.from(data, 'base64').toString('utf8') : read(file);
  const ca = await pem(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const certificate = await pem(user['client-certificate-data'], user['client-certificate']);
  const key = await pem(user['client-key-data'], user['client-key']);
  const tokenFile = user.tokenFile;
  const token = user.token ?? (tokenFile ? async () => ((await read(tokenFile)) ?? '').trim() : undefined);
  return {
    server: cluster.server,
    ...(ca ? { ca } : {}),
    ...(certificate ? { certificate } : {}),
    ...(key ? { key } : {}),
    ...(token ? { token } : {}),
    ...(user.username !== undefined ? { username: user.username } : {}),
    ...(user.password !== undefined ? { password: user.password } : {}),
    ...(cluster['insecure-skip-tls-verify'] ? { insecureSkipTlsVerify: true } : {}),
    ...(cluster['tls-server-name'] ? { tlsServerName: cluster['tls-server-name'] } : {}),
  };
}

function invalid(message: string): KubeError {
  return new KubeError('KUBE_KUBECONFIG_INVALID', message);
}
