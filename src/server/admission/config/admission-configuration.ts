import { decodeYaml } from '../../../api/codec/decode-yaml.js';
import { duplicate, invalid, notFound, required, type FieldError } from '../../../api/meta/field-error.js';
import { errorMessage, KubeError } from '../../../base/errors.js';
import { isAdmissionPlugin } from '../plugin-names.js';
import { readEventRateLimit, type EventLimit } from './event-rate-limit.js';
import { readPodNodeSelector } from './node-selector.js';
import { readPodSecurity, type PodSecurityConfiguration } from './pod-security.js';
import { readPodTolerationRestriction, type TolerationRestriction } from './pod-toleration-restriction.js';
import { ConfigReader } from './reader.js';
import { readResourceQuota, type LimitedResource } from './resource-quota.js';
import { readWebhookAdmission, type WebhookAdmissionConfiguration } from './webhook-admission.js';

/** Configuration of the plugins that take any; absent: the plugin's defaults. */
export interface AdmissionConfiguration {
  readonly eventRateLimit?: readonly EventLimit[];
  /** Node selectors by namespace. */
  readonly podNodeSelector?: Readonly<Record<string, string>>;
  readonly podTolerationRestriction?: TolerationRestriction;
  readonly podSecurity?: PodSecurityConfiguration;
  /** What may be used only where a quota covers it. */
  readonly limitedResources?: readonly LimitedResource[];
  readonly mutatingWebhooks?: WebhookAdmissionConfiguration;
  readonly validatingWebhooks?: WebhookAdmissionConfiguration;
}

/** Who reads the configuration of which plugin. */
const READERS: Readonly<Record<string, (reader: ConfigReader) => AdmissionConfiguration>> = {
  EventRateLimit: (reader) => ({ eventRateLimit: readEventRateLimit(reader) }),
  PodNodeSelector: (reader) => ({ podNodeSelector: readPodNodeSelector(reader) }),
  PodTolerationRestriction: (reader) => ({ podTolerationRestriction: readPodTolerationRestriction(reader) }),
  PodSecurity: (reader) => ({ podSecurity: readPodSecurity(reader) }),
  ResourceQuota: (reader) => ({ limitedResources: readResourceQuota(reader) }),
  MutatingAdmissionWebhook: (reader) => ({ mutatingWebhooks: readWebhookAdmission(reader) }),
  ValidatingAdmissionWebhook: (reader) => ({ validatingWebhooks: readWebhookAdmission(reader) }),
};

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1alpha1', 'apiserver.k8s.io/v1alpha1'];

/** Contents of a file; the path is relative to the folder of the file that names it, or absolute. */
export type ReadFile = (path: string) => Promise<Buffer>;

/**
 * Reads the file of `--admission-control-config-file`: an `AdmissionConfiguration` with a `configuration` or a `path` for each plugin, or, in the old form, the
 * `podNodeSelectorPluginConfig` alone. Every file is checked strictly. Throws `KUBE_ADMISSION_CONFIGURATION` with the file and everything that is wrong in it.
 */
export async function readAdmissionConfiguration(file: string, readFile: ReadFile): Promise<AdmissionConfiguration> {
  const errors: FieldError[] = [];
  const value = decode(file, await readFile(file));
  const reader = ConfigReader.of(value, errors);
  if (reader.raw('podNodeSelectorPluginConfig') !== undefined && reader.raw('kind') === undefined) {
    const legacy = { podNodeSelector: readPodNodeSelector(reader) };
    refuseMistakes(file, errors);
    return legacy;
  }
  reader.requireType('AdmissionConfiguration', VERSIONS);
  const plugins = reader.objects('plugins');
  reader.refuseOthers();
  const configurations: AdmissionConfiguration[] = [];
  const seen = new Set<string>();
  for (const plugin of plugins) configurations.push(await readPlugin(file, plugin, seen, readFile));
  refuseMistakes(file, errors);
  return Object.assign({}, ...configurations) as AdmissionConfiguration;
}

async function readPlugin(file: string, plugin: ConfigReader, seen: Set<string>, readFile: ReadFile): Promise<AdmissionConfiguration> {
  const { errors } = plugin;
  const name = plugin.string('name') ?? '';
  const path = plugin.string('path') ?? '';
  const configuration = plugin.raw('configuration');
  plugin.refuseOthers();
  if (name === '') errors.push(required(plugin.at('name')));
  else if (!isAdmissionPlugin(name)) errors.push(notFound(plugin.at('name'), name));
  else if (seen.has(name)) errors.push(duplicate(plugin.at('name'), name));
  seen.add(name);
  const read = READERS[name];
  if (configuration !== undefined) {
    if (read) return read(ConfigReader.of(configuration, errors, plugin.at('configuration')));
    if (isAdmissionPlugin(name)) errors.push(invalid(plugin.at('configuration'), configuration, `${name} takes no configuration`));
    return {};
  }
  if (path === '' || !isAdmissionPlugin(name)) return {};
  if (!read) {
    errors.push(invalid(plugin.at('path'), path, `${name} takes no configuration`));
    return {};
  }
  const inner: FieldError[] = [];
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    errors.push(invalid(plugin.at('path'), path, errorMessage(error)));
    return {};
  }
  const result = read(ConfigReader.of(decode(path, bytes), inner));
  refuseMistakes(`${file}: ${plugin.at('path').toString()}: ${path}`, inner);
  return result;
}

function decode(file: string, bytes: Buffer): unknown {
  let decoded;
  try {
    decoded = decodeYaml(bytes);
  } catch (error) {
    throw mistake(file, errorMessage(error));
  }
  if (decoded.strictErrors?.length) throw mistake(file, decoded.strictErrors.join('; '));
  return decoded.value;
}

function refuseMistakes(file: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw mistake(file, errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
}

const mistake = (file: string, text: string): KubeError => new KubeError('KUBE_ADMISSION_CONFIGURATION', `${file}: ${text}`);
