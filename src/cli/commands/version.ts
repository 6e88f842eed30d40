import { KUBERNETES_VERSION, VERSION } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { print } from '../output.js';

/** `kube version`. */
export async function version(input: CommandInput): Promise<number> {
  const document = { version: VERSION, kubernetesVersion: KUBERNETES_VERSION, nodeVersion: process.version, platform: `${process.platform}/${process.arch}` };
  print(input, document, () => `kube ${VERSION} (Kubernetes API ${KUBERNETES_VERSION}, Node.js ${process.version})`);
  return 0;
}
