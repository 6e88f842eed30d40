import { invalid } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { labelKey, labelValue } from '../../../api/meta/validation/labels.js';
import type { ConfigReader } from './reader.js';

export type NodeLabels = Readonly<Record<string, string>>;

/** The name under which the configuration gives the selector of namespaces without one. */
export const CLUSTER_DEFAULT_SELECTOR = 'clusterDefaultNodeSelector';

/** Labels in the form `a=b,c=d`; what cannot be read comes back as the text that says why. */
export function parseNodeSelector(text: string): NodeLabels | string {
  if (text === '') return {};
  const labels: Record<string, string> = {};
  for (const term of text.split(',')) {
    const parts = term.split('=');
    if (parts.length !== 2) return `invalid selector: [${parts.join(' ')}]`;
    const [key, value] = parts.map((part) => part.trim()) as [string, string];
    const keyMessages = labelKey(key);
    if (keyMessages.length > 0) return fieldText(FieldPath.root, key, keyMessages);
    const valueMessages = labelValue(value);
    if (valueMessages.length > 0) return fieldText(FieldPath.root.key(key), value, valueMessages);
    labels[key] = value;
  }
  return labels;
}

function fieldText(path: FieldPath, value: string, messages: readonly string[]): string {
  const { field, message } = invalid(path, value, messages.join('; '));
  return `${field}: ${message}`;
}

/** Reads `podNodeSelectorPluginConfig`: node selectors by namespace. The file has neither version nor kind, unless somebody gave it some. */
export function readPodNodeSelector(reader: ConfigReader): Readonly<Record<string, string>> {
  reader.raw('apiVersion');
  reader.raw('kind');
  const field = 'podNodeSelectorPluginConfig';
  const selectors = reader.stringMap(field);
  for (const [namespace, text] of Object.entries(selectors)) {
    const parsed = parseNodeSelector(text);
    if (typeof parsed === 'string') reader.errors.push(invalid(reader.at(field).key(namespace), text, parsed));
  }
  reader.refuseOthers();
  return selectors;
}
