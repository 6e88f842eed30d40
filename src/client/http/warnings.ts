/** Texts of `Warning: 299 - "text"` headers (RFC 7234, section 5.5); others are ignored. */
export function parseWarnings(headers: readonly string[] | undefined): readonly string[] {
  if (!headers) return [];
  const texts: string[] = [];
  for (const header of headers) {
    for (const match of header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) texts.push(match[1]!.replace(/\\(.)/g, '$1'));
  }
  return texts;
}
