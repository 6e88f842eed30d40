/**
 * Values of a header as sent, one per line: Node joins repeated headers with commas, which values may hold themselves.
 * Bytes beyond ASCII are read as UTF-8.
 * @param raw names and values in turn
 * @param name in lower case
 */
export function headerValues(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) if (raw[i]!.length === name.length && raw[i]!.toLowerCase() === name) values.push(utf8(raw[i + 1]!));
  return values;
}

/** Values of all headers whose names begin with `prefix`, by the rest of the name: in lower case, percent-decoded where that is possible. */
export function prefixedHeaders(raw: readonly string[], prefix: string): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    const key = unescapeKey(name.slice(prefix.length));
    const values = found.get(key) ?? [];
    found.set(key, values);
    values.push(utf8(raw[i + 1]!));
  }
  return Object.fromEntries(found);
}

function utf8(text: string): string {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return Buffer.from(text, 'latin1').toString('utf8');
  return text;
}

function unescapeKey(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
