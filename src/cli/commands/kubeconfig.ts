import { loadKubeconfigTools } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, print } from '../output.js';

/** `kube kubeconfig`: prints the administrator's kubeconfig, or merges it into the file of `--kubeconfig`. */
export async function kubeconfig(input: CommandInput): Promise<number> {
  const { adminKubeconfig, mergeAdminKubeconfig, renderConfig } = await loadKubeconfigTools();
  const directory = dataDirectory(input);
  const file = input.flags.kubeconfig;
  if (file) {
    const config = await mergeAdminKubeconfig(directory, file);
    print(input, { kubeconfig: file, context: config['current-context'] }, () => `merged the context ${config['current-context']} into ${file}`);
  } else {
    const config = await adminKubeconfig(directory);
    print(input, config, () => renderConfig(config).trimEnd());
  }
  return 0;
}
