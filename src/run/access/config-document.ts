import { CORE_SCHEMA, load } from 'js-yaml';
import { KubeError, errorMessage } from '../../base/errors.js';

const GROUP = 'apiserver.config.k8s.io';

/** A mapping of a configuration file, with where it stands in it. */
export interface ConfigNode {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Throws `KUBE_ACCESS_FILE` that names the file, the field below this mapping and the rule. */
  fail(field: string, rule: string): never;
  /** A field that is a mapping; undefined when absent. */
  child(field: string): ConfigNode | undefined;
  /** The mappings of a list; none when absent. */
  children(field: string): readonly ConfigNode[];
  /** A text; empty when absent. */
  text(field: string): string;
  /** Throws when there is a field of another name. */
  only(...names: readonly string[]): void;
}

/** Reads a YAML or JSON document of the API server's configuration group. */
export function readConfigDocument(file: string, text: string, kind: string, versions: readonly string[]): ConfigNode {
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    throw new KubeError('KUBE_ACCESS_FILE', `${file}: not YAML: ${errorMessage(error).split('\n')[0]}`);
  }
  const root = node(file, '', value);
  if (root.text('kind') !== kind) root.fail('kind', `must be ${kind}`);
  if (!versions.some((version) => root.text('apiVersion') === `${GROUP}/${version}`)) root.fail('apiVersion', `must be one of ${versions.map((version) => `${GROUP}/${version}`).join(', ')}`);
  return root;
}

function node(file: string, path: string, value: unknown): ConfigNode {
  const at = (field: string): string => (path === '' ? field : `${path}.${field}`);
  const failAt = (where: string, rule: string): never => {
    throw new KubeError('KUBE_ACCESS_FILE', `${file}: ${where === '' ? 'the document' : where}: ${rule}`);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return failAt(path, 'must be a mapping');
  const fields = value as Readonly<Record<string, unknown>>;
  return {
    fields,
    fail: (field, rule) => failAt(at(field), rule),
    child: (field) => (fields[field] === undefined || fields[field] === null ? undefined : node(file, at(field), fields[field])),
    children: (field) => {
      const list = fields[field] ?? [];
      return Array.isArray(list) ? list.map((item, index) => node(file, `${at(field)}[${index}]`, item)) : failAt(at(field), 'must be a list');
    },
    text: (field) => {
      const found = fields[field] ?? '';
      return typeof found === 'string' ? found : failAt(at(field), 'must be a string');
    },
    only: (...names) => {
      const other = Object.keys(fields).find((name) => !names.includes(name));
      if (other !== undefined) failAt(at(other), 'unknown field');
    },
  };
}
