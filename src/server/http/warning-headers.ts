/** Characters of all warnings of an answer together; when there are more, each is cut. */
const MAX_TOTAL = 4096;
const MAX_EACH = 256;

/** The `Warning` headers of an answer: `299 - "text"`. Long ones are cut when they are too many, and those that come too late are dropped. */
export function warningHeaders(texts: readonly string[]): string[] {
  const { usable, total } = wanted(texts);
  if (total <= MAX_TOTAL) return usable.map((text) => header(text.join('')));
  const headers: string[] = [];
  let written = 0;
  let withinLimit = 0;
  for (const [i, text] of usable.entries()) {
    // Up to the one that was too much they are only cut; from then on the sum counts.
    withinLimit += text.length;
    const isLater = i > 0 && withinLimit - text.length > MAX_TOTAL;
    if (isLater && written >= MAX_TOTAL) break;
    const cut = text.slice(0, MAX_EACH);
    written += cut.length;
    headers.push(header(cut.join('')));
  }
  return headers;
}

/** The texts that can be written, as characters, up to the last one that may count: a webhook may give hundreds of thousands of them. */
function wanted(texts: readonly string[]): { readonly usable: readonly string[][]; readonly total: number } {
  const usable: string[][] = [];
  let total = 0;
  let cut = 0;
  for (const text of texts) {
    if (total > MAX_TOTAL && cut >= MAX_TOTAL) break;
    if (text === '' || hasControlCharacter(text)) continue;
    // Two UTF-16 units are at most one character.
    const characters = [...text.slice(0, 2 * MAX_TOTAL + 2)];
    usable.push(characters);
    total += characters.length;
    cut += Math.min(characters.length, MAX_EACH);
  }
  return { usable, total };
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function header(text: string): string {
  // Headers are bytes: Go writes UTF-8, Node wants it as Latin-1 characters.
  return `299 - "${Buffer.from(text.replace(/[\\"]/g, '\\$&')).toString('latin1')}"`;
}
