const START = /^["\-0-9{[]/;

/**
 * What is wrong with text that must be a JSON object (or null), worded as Go's decoder does in the usual cases;
 * undefined when it is one.
 */
export function jsonObjectProblem(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return syntaxProblem(text, error instanceof Error ? error.message : String(error));
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function syntaxProblem(text: string, fallback: string): string {
  const body = text.replace(/^[ \t\r\n]+/, '');
  if (body === '') return 'unexpected end of JSON input';
  const [first = ''] = body;
  if (!START.test(first) && !['t', 'f', 'n'].includes(first)) return `invalid character ${runeText(body)} looking for beginning of value`;
  return /end of JSON|Unterminated|Expected .* at position/.test(fallback) && isPrefix(body) ? 'unexpected end of JSON input' : fallback;
}

/** The first character in single quotes, as Go shows a rune. */
function runeText(text: string): string {
  const [first = ''] = text;
  const code = first.codePointAt(0) ?? 0;
  if (first === "'" || first === '\\') return `'\\${first}'`;
  return code < 0x20 || code === 0x7f ? `'\\x${code.toString(16).padStart(2, '0')}'` : `'${first}'`;
}

/** Whether brackets or a string are still open at the end. */
function isPrefix(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
  }
  return quoted || depth > 0;
}
