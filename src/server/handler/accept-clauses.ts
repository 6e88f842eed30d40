/** One clause of an `Accept` header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly params: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * The clauses of an `Accept` header in the order in which upstream's library tries them: better quality first, then named types before wildcards. A
 * quality of 0 excludes nothing there. Clauses that are no media types are left out.
 */
export function acceptClauses(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const text of header.split(',')) {
    const clause = parse(trim(text));
    if (clause === undefined) continue;
    // Inserted where the library's sort would put it; its order is not transitive, so that the way matters.
    let at = clauses.push(clause) - 1;
    for (; at > 0 && goesBefore(clause, clauses[at - 1]!); at--) clauses[at] = clauses[at - 1]!;
    clauses[at] = clause;
  }
  return clauses;
}

function parse(text: string): AcceptClause | undefined {
  const [range = '', ...rest] = text.split(';');
  const [type = '', subtype = '', ...more] = range.split('/');
  if (more.length > 0 || (subtype === '' && trim(type) !== '*')) return undefined;
  const params = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const [name = '', value = '', ...others] = part.split('=');
    if (value === '' || others.length > 0) continue;
    if (trim(name) === 'q') quality = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) ? Number(value) : 0;
    else params.set(trim(name), trim(value));
  }
  return { type: trim(type), subtype: subtype === '' ? '*' : trim(subtype), params, quality };
}

function goesBefore(a: AcceptClause, b: AcceptClause): boolean {
  return a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}

function trim(text: string): string {
  return text.replace(/^ +| +$/g, '');
}
