import type { V1Container, V1EnvVar, V1Pod } from '../../api/generated/types.js';
import { CONFIG_MAPS, SECRETS } from '../../api/resource-refs.js';
import { podField, resourceField, type PodFacts } from './downward.js';
import { expandVariables } from './expand.js';
import type { References } from './references.js';

/** A container cannot be made from its configuration; the message is fit for `CreateContainerConfigError`. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** Values of env must be fresh; containers that start together share a request. */
const MAX_AGE = 1000;

export interface EnvironmentInput {
  readonly pod: V1Pod;
  readonly container: V1Container;
  readonly facts: PodFacts;
  readonly references: References;
  /** Variables of services in the pod's namespace. */
  readonly services: readonly (readonly [string, string])[];
}

/** The environment of a container in order: `envFrom`, then `env` with `$(NAME)` expanded, then services. Throws a {@link ConfigError} when something is missing. */
export async function containerEnvironment(input: EnvironmentInput): Promise<Map<string, string>> {
  const { container, services } = input;
  const result = new Map<string, string>();
  await addSources(input, result);
  const visible = new Map([...services, ...result]);
  for (const variable of container.env ?? []) {
    const value = await valueOf(input, variable, visible);
    if (value === undefined) continue;
    result.set(variable.name, value);
    visible.set(variable.name, value);
  }
  for (const [name, value] of services) if (!result.has(name)) result.set(name, value);
  return result;
}

async function addSources({ pod, container, references }: EnvironmentInput, result: Map<string, string>): Promise<void> {
  const namespace = pod.metadata?.namespace ?? '';
  for (const source of container.envFrom ?? []) {
    const prefix = source.prefix ?? '';
    if (source.configMapRef) {
      const name = source.configMapRef.name ?? '';
      const map = await references.get(CONFIG_MAPS, namespace, name, MAX_AGE);
      if (!map && !source.configMapRef.optional) throw new ConfigError(`configmap "${name}" not found`);
      for (const [key, value] of Object.entries(map?.data ?? {})) result.set(prefix + key, value);
    }
    if (source.secretRef) {
      const name = source.secretRef.name ?? '';
      const secret = await references.get(SECRETS, namespace, name, MAX_AGE);
      if (!secret && !source.secretRef.optional) throw new ConfigError(`secret "${name}" not found`);
      for (const [key, value] of Object.entries(secret?.data ?? {})) result.set(prefix + key, decode(value));
    }
  }
}

/** Undefined: the variable is left out. */
async function valueOf(input: EnvironmentInput, variable: V1EnvVar, visible: ReadonlyMap<string, string>): Promise<string | undefined> {
  const { pod, container, facts, references } = input;
  const namespace = pod.metadata?.namespace ?? '';
  const from = variable.valueFrom;
  if (!from) return expandVariables(variable.value ?? '', visible);
  if (from.fieldRef) return guard(() => podField(pod, from.fieldRef!, facts));
  if (from.resourceFieldRef) return guard(() => resourceField(pod, container, from.resourceFieldRef!, facts));
  if (from.configMapKeyRef) {
    const { name = '', key, optional } = from.configMapKeyRef;
    const map = await references.get(CONFIG_MAPS, namespace, name, MAX_AGE);
    if (!map && !optional) throw new ConfigError(`configmap "${name}" not found`);
    const value = map?.data?.[key];
    if (map && value === undefined && !optional) throw new ConfigError(`couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return value;
  }
  if (from.secretKeyRef) {
    const { name = '', key, optional } = from.secretKeyRef;
    const secret = await references.get(SECRETS, namespace, name, MAX_AGE);
    if (!secret && !optional) throw new ConfigError(`secret "${name}" not found`);
    const value = secret?.data?.[key];
    if (secret && value === undefined && !optional) throw new ConfigError(`couldn't find key ${key} in Secret ${namespace}/${name}`);
    return value === undefined ? undefined : decode(value);
  }
  return undefined;
}

function guard(read: () => string): string {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error));
  }
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
