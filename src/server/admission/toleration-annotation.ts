import type { V1Toleration } from '../../api/generated/types.js';
import { decodeJson } from '../../api/codec/decode-json.js';
import { isDecodeError } from '../../api/codec/decode-error.js';

const FIELDS: Readonly<Record<string, 'string' | 'number'>> = { key: 'string', operator: 'string', value: 'string', effect: 'string', tolerationSeconds: 'number' };

/** Tolerations in JSON; what is no toleration comes back as the text that says so, in upstream's words. Unknown fields are passed over. */
export function parseTolerations(text: string): readonly V1Toleration[] | string {
  let value: unknown;
  try {
    ({ value } = decodeJson(Buffer.from(text)));
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
  if (value === null) return [];
  if (!Array.isArray(value)) return `json: cannot unmarshal ${typeName(value)} into Go value of type []v1.Toleration`;
  const tolerations: V1Toleration[] = [];
  for (const item of value as readonly unknown[]) {
    if (typeof item !== 'object' || Array.isArray(item)) return `json: cannot unmarshal ${typeName(item)} into Go value of type v1.Toleration`;
    const entries = Object.entries(item ?? {}).filter(([field, content]) => FIELDS[field] !== undefined && content !== null);
    const wrong = entries.find(([field, content]) => typeof content !== FIELDS[field]);
    if (wrong) return `json: cannot unmarshal ${typeName(wrong[1])} into Go struct field Toleration.${wrong[0]} of type ${FIELDS[wrong[0]] === 'number' ? 'int64' : 'string'}`;
    tolerations.push(Object.fromEntries(entries));
  }
  return tolerations;
}

const typeName = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value);
