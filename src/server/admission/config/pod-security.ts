import { duplicate, invalid, type FieldError } from '../../../api/meta/field-error.js';
import type { FieldPath } from '../../../api/meta/field-path.js';
import { dns1123Label, dns1123Subdomain } from '../../../api/meta/validation/names.js';
import { isLevel, isVersion, LEVEL_RULE, PRIVILEGED, VERSION_RULE, type Level, type LevelVersion, type Policy } from '../podsecurity/level.js';
import { ConfigReader } from './reader.js';

/** What the Pod Security Standards leave alone. */
export interface PodSecurityExemptions {
  readonly usernames: readonly string[];
  readonly namespaces: readonly string[];
  readonly runtimeClasses: readonly string[];
}

/** Configuration of `PodSecurity`. */
export interface PodSecurityConfiguration {
  /** Of namespaces without labels. */
  readonly defaults: Policy;
  readonly exemptions: PodSecurityExemptions;
}

/** Nothing is asked for, and nothing is exempt. */
export const DEFAULT_POD_SECURITY: PodSecurityConfiguration = {
  defaults: { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED },
  exemptions: { usernames: [], namespaces: [], runtimeClasses: [] },
};

/** Reads `PodSecurityConfiguration` of `pod-security.admission.config.k8s.io`. */
export function readPodSecurity(reader: ConfigReader): PodSecurityConfiguration {
  reader.requireType('PodSecurityConfiguration', ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`));
  const configured = reader.object('defaults') ?? ConfigReader.of({}, reader.errors, reader.at('defaults'));
  const defaults = { enforce: readLevel(configured, 'enforce'), audit: readLevel(configured, 'audit'), warn: readLevel(configured, 'warn') };
  configured.refuseOthers();
  const exempt = reader.object('exemptions') ?? ConfigReader.of({}, reader.errors, reader.at('exemptions'));
  const exemptions = {
    namespaces: readNames(exempt, 'namespaces', (name) => dns1123Label(name).join(', ')),
    runtimeClasses: readNames(exempt, 'runtimeClasses', (name) => dns1123Subdomain(name).join(', ')),
    usernames: readNames(exempt, 'usernames', (name) => (name === '' ? 'username must not be empty' : '')),
  };
  exempt.refuseOthers();
  reader.refuseOthers();
  return { defaults, exemptions };
}

function readLevel(reader: ConfigReader, mode: string): LevelVersion {
  const check = (field: string, fallback: string, isGood: (value: string) => boolean, rule: string): string => {
    const value = reader.string(field) || fallback;
    if (!isGood(value)) reader.errors.push(invalid(reader.at(field), value, rule));
    return value;
  };
  return { level: check(mode, 'privileged', isLevel, LEVEL_RULE) as Level, version: check(`${mode}-version`, 'latest', isVersion, VERSION_RULE) };
}

function readNames(reader: ConfigReader, field: string, rule: (name: string) => string): string[] {
  const names = reader.strings(field);
  names.forEach((name, i) => reader.errors.push(...nameErrors(reader.at(field).index(i), name, rule(name), names.indexOf(name) < i)));
  return names;
}

function nameErrors(path: FieldPath, name: string, complaint: string, isRepeated: boolean): FieldError[] {
  if (complaint !== '') return [invalid(path, name, complaint)];
  return isRepeated ? [duplicate(path, name)] : [];
}
