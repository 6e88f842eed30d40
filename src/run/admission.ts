import { dirname, resolve } from 'node:path';
import { fileFailure, KubeError } from '../base/errors.js';
import { readSettingsFile } from '../base/settings-file.js';
import { chosenPlugins, loadWebhookKubeconfig, readAdmissionConfiguration, type AdmissionConfiguration } from '../server/index.js';
import type { ServerSettings } from './options.js';

/**
 * Checks the settings of admission and reads the file of `--admission-control-config-file`; paths in it are relative to its folder. Undefined: there is none. Throws `KUBE_ADMISSION_PLUGIN` for plugins that
 * cannot be enabled or disabled, `KUBE_ADMISSION_CONFIGURATION` for what is wrong in the file.
 */
export async function readAdmission(settings: ServerSettings): Promise<AdmissionConfiguration | undefined> {
  chosenPlugins(settings.enableAdmissionPlugins, settings.disableAdmissionPlugins);
  const file = settings.admissionControlConfigFile;
  if (file === undefined) return undefined;
  const folder = dirname(resolve(file));
  const configuration = await readAdmissionConfiguration(file, (path) => read(path === file ? resolve(file) : resolve(folder, path)));
  const { mutatingWebhooks, validatingWebhooks } = configuration;
  return {
    ...configuration,
    ...(mutatingWebhooks ? { mutatingWebhooks: await withKubeconfig(mutatingWebhooks) } : {}),
    ...(validatingWebhooks ? { validatingWebhooks: await withKubeconfig(validatingWebhooks) } : {}),
  };
}

async function withKubeconfig<T extends { readonly kubeConfigFile: string }>(webhooks: T): Promise<T> {
  return webhooks.kubeConfigFile === '' ? webhooks : { ...webhooks, kubeconfig: await loadWebhookKubeconfig(webhooks.kubeConfigFile, read) };
}

async function read(absolute: string): Promise<Buffer> {
  try {
    return await readSettingsFile(absolute);
  } catch (error) {
    throw new KubeError('KUBE_ADMISSION_CONFIGURATION', `cannot read ${absolute}: ${fileFailure(error)}`);
  }
}
