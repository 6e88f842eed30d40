import path from 'node:path';
import { parseKubeconfig, type Kubeconfig, type KubeconfigUser } from '../../client/index.js';

/** Reads the kubeconfig of a webhook plugin. What it names other files for is put in place, so that nothing has to be read later; `readFile` takes absolute paths. */
export async function loadWebhookKubeconfig(file: string, readFile: (path: string) => Promise<Buffer>): Promise<Kubeconfig> {
  const config = parseKubeconfig((await readFile(file)).toString(), file);
  const read = async (name: string): Promise<Buffer> => readFile(path.resolve(path.dirname(file), name));
  const users = await Promise.all((config.users ?? []).map(async ({ name, user }): Promise<KubeconfigUser> => {
    const { 'client-certificate': certificate, 'client-key': key, tokenFile, ...inPlace } = user;
    return {
      name,
      user: {
        ...(certificate === undefined ? {} : { 'client-certificate-data': (await read(certificate)).toString('base64') }),
        ...(key === undefined ? {} : { 'client-key-data': (await read(key)).toString('base64') }),
        ...(tokenFile === undefined ? {} : { token: (await read(tokenFile)).toString().trim() }),
        ...inPlace,
      },
    };
  }));
  return { ...config, users };
}
