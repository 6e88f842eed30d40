/** Attributes of HTML elements that hold URLs (HTML 4.01 and 5), by element. */
const URL_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href'], applet: ['codebase'], area: ['href'], audio: ['src'], base: ['href'], blockquote: ['cite'], body: ['background'], button: ['formaction'], command: ['icon'], del: ['cite'], embed: ['src'],
  form: ['action'], frame: ['longdesc', 'src'], head: ['profile'], html: ['manifest'], iframe: ['longdesc', 'src'], img: ['longdesc', 'src', 'usemap'], input: ['src', 'usemap', 'formaction'], ins: ['cite'],
  link: ['href'], object: ['classid', 'codebase', 'data', 'usemap'], q: ['cite'], script: ['src'], source: ['src'], video: ['poster', 'src'],
};
/** Elements whose content is no markup. */
const RAW = new Set(['script', 'style']);
const TAG = /<(\/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g;
const ATTRIBUTE = /([^\s=/"'<>]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'<>]+)/g;
/** A tag that is longer is passed on as it is. */
const LONGEST_TAG = 64 * 1024;

/** Where links of a proxied answer lead. */
export interface LinkBase {
  /** Path of the proxy subresource, without a slash at the end. */
  readonly prefix: string;
  /** Authority of the proxied server, as its own absolute links name it. */
  readonly authority: string;
}

/** The URL as it has to be for a client of the proxy: relative ones and those of other hosts stay. */
export function rewriteUrl(text: string, { prefix, authority }: LinkBase): string {
  const absolute = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?\/\/([^/?#]*)/.exec(text);
  if (absolute && absolute[1] !== authority) return text;
  const path = absolute ? text.slice(absolute[0].length) || '/' : text;
  if (!path.startsWith('/') || path === prefix || path.startsWith(`${prefix}/`)) return absolute ? path : text;
  return prefix + path;
}

/** Passes HTML on with its links rewritten, piece by piece. */
export async function* rewriteLinks(chunks: AsyncIterable<Buffer>, base: LinkBase): AsyncGenerator<Buffer> {
  // Markup is ASCII; as Latin-1 every other byte stays what it is.
  let pending = '';
  let raw = '';
  for await (const chunk of chunks) {
    pending += chunk.toString('latin1');
    const step = rewritePart(pending, raw, base);
    pending = step.rest;
    raw = step.raw;
    if (step.done !== '') yield Buffer.from(step.done, 'latin1');
  }
  if (pending !== '') yield Buffer.from(pending, 'latin1');
}

function rewritePart(text: string, raw: string, base: LinkBase): { readonly done: string; readonly rest: string; readonly raw: string } {
  let done = '';
  let at = 0;
  let inside = raw;
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match; match = TAG.exec(text)) {
    const [whole, close, name = '', attributes = ''] = match;
    const element = name.toLowerCase();
    done += text.slice(at, match.index);
    at = match.index + whole.length;
    if (inside !== '') {
      if (close !== '' && element === inside) inside = '';
      done += whole;
      continue;
    }
    if (close === '' && RAW.has(element)) inside = element;
    done += close === '' && URL_ATTRIBUTES[element] ? `<${name}${rewriteAttributes(attributes, URL_ATTRIBUTES[element], base)}>` : whole;
  }
  const tail = text.slice(at);
  const open = tail.lastIndexOf('<');
  if (open < 0 || tail.length - open > LONGEST_TAG) return { done: done + tail, rest: '', raw: inside };
  return { done: done + tail.slice(0, open), rest: tail.slice(open), raw: inside };
}

function rewriteAttributes(text: string, names: readonly string[], base: LinkBase): string {
  return text.replace(ATTRIBUTE, (whole, name: string, equals: string, value: string) => {
    if (!names.includes(name.toLowerCase())) return whole;
    const quote = value[0] === '"' || value[0] === "'" ? value[0] : '';
    return `${name}${equals}${quote}${rewriteUrl(quote ? value.slice(1, -1) : value, base)}${quote}`;
  });
}
