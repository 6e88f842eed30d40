import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode, errorMessage, KubeError } from '../base/errors.js';
import { chosenPlugins, readAdmissionConfiguration, type AdmissionConfiguration } from '../server/index.js';
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
  return readAdmissionConfiguration(file, async (path) => {
    const absolute = path === file ? resolve(file) : resolve(folder, path);
    try {
      return await readFile(absolute);
    } catch (error) {
      throw new KubeError('KUBE_ADMISSION_CONFIGURATION', `cannot read ${absolute}: ${errorCode(error) === 'ENOENT' ? 'there is no such file' : errorMessage(error)}`);
    }
  });
}
