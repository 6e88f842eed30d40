/* Values as the messages of upstream's typed library print them. */

/** `%v` of a value: `&{text}`. */
export function goValueText(value: unknown): string {
  return `&{${plain(value)}}`;
}

/** `%#v` of a value. */
export function goDebugText(value: unknown): string {
  return `&value.valueUnstructured{Value:${debug(value)}}`;
}

/** `%T` of a value. */
export function goTypeName(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      if (value === null || value === undefined) return '<nil>';
      return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`;
  if (typeof value === 'object') return `map[${sorted(value).map(([key, item]) => `${key}:${plain(item)}`).join(' ')}]`;
  return String(value as string | number | boolean);
}

function debug(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(debug).join(', ')}}`;
  if (typeof value === 'object') return `map[string]interface {}{${sorted(value).map(([key, item]) => `${JSON.stringify(key)}:${debug(item)}`).join(', ')}}`;
  return JSON.stringify(value);
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
