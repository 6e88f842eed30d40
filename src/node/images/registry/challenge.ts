/** One way to authenticate, from `WWW-Authenticate` (RFC 7235). */
export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const PART = /\s*,?\s*(?:([A-Za-z][\w!#$%&'*+.^`|~-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([A-Za-z][\w!#$%&'*+.^`|~-]*)(?=\s|,|$))/y;

/** Parses the header; what makes no sense ends it. */
export function parseChallenges(header: string): readonly Challenge[] {
  const found: { readonly scheme: string; readonly parameters: Record<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(header); match; match = PART.exec(header)) {
    const [, name, quoted, token, scheme] = match;
    if (scheme !== undefined) found.push({ scheme: scheme.toLowerCase(), parameters: {} });
    else if (name !== undefined) {
      const last = found.at(-1);
      if (!last) break;
      last.parameters[name.toLowerCase()] = quoted !== undefined ? quoted.replace(/\\(.)/g, '$1') : (token ?? '');
    }
  }
  return found;
}
