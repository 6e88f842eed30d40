import type { Kubeconfig } from '../../../client/index.js';
import { invalid } from '../../../api/meta/field-error.js';
import type { ConfigReader } from './reader.js';

/** Configuration of the webhooks of admission. */
export interface WebhookAdmissionConfiguration {
  /** Absolute path of a kubeconfig with the credentials for webhooks. Empty: none. */
  readonly kubeConfigFile: string;
  /** What is in it, once it has been read. */
  readonly kubeconfig?: Kubeconfig;
}

/** Reads `WebhookAdmissionConfiguration` of `apiserver.config.k8s.io/v1`. */
export function readWebhookAdmission(reader: ConfigReader): WebhookAdmissionConfiguration {
  reader.requireType('WebhookAdmissionConfiguration', ['apiserver.config.k8s.io/v1']);
  const kubeConfigFile = reader.string('kubeConfigFile') ?? '';
  if (kubeConfigFile !== '' && !kubeConfigFile.startsWith('/')) reader.errors.push(invalid(reader.at('kubeConfigFile'), kubeConfigFile, 'must be an absolute file path'));
  reader.refuseOthers();
  return { kubeConfigFile };
}
