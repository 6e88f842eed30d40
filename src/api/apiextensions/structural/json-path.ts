type Step =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'every' }
  | { readonly type: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

/** A path in the syntax of kubectl, as printer columns and selectable fields have it: fields, indexes, `[*]` and filters `[?(@.type=="Ready")]`. */
export class JsonPath {
  private constructor(private readonly steps: readonly Step[]) {}

  /** Undefined when the path cannot be read. */
  static parse(text: string): JsonPath | undefined {
    const steps = parseSteps(text);
    return steps && new JsonPath(steps);
  }

  /** All that the path leads to; missing fields lead nowhere. */
  find(object: unknown): unknown[] {
    return follow(object, this.steps);
  }
}

/** What is found as kubectl prints it. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null ? '<nil>' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function parseSteps(text: string): Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith('$') || text.startsWith('@') ? text.slice(1) : text;
  while (rest !== '') {
    const read = readStep(rest);
    if (read === undefined) return undefined;
    if (read.step) steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return steps;
}

function readStep(rest: string): { readonly step?: Step; readonly length: number } | undefined {
  const field = /^\.((?:\\.|[^.[\]\\\s])+)/.exec(rest);
  if (field) return { step: field[1] === '*' ? { type: 'every' } : { type: 'field', name: field[1]!.replace(/\\(.)/g, '$1') }, length: field[0].length };
  if (/^\.(?=\[|$)/.test(rest)) return { length: 1 };
  const quoted = /^\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/.exec(rest);
  if (quoted) return { step: { type: 'field', name: (quoted[1] ?? quoted[2]!).replace(/\\(.)/g, '$1') }, length: quoted[0].length };
  const index = /^\[\s*(-?\d+|\*)\s*\]/.exec(rest);
  if (index) return { step: index[1] === '*' ? { type: 'every' } : { type: 'index', index: Number(index[1]) }, length: index[0].length };
  const filter = /^\[\?\(\s*(@(?:\\.|[^=!<>\\'"\s])*)\s*(?:(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|[^\s)]+)\s*)?\)\]/.exec(rest);
  const path = filter && parseSteps(filter[1]!);
  if (!filter || !path) return undefined;
  return { step: { type: 'filter', path, operator: filter[2] ?? '', value: literal(filter[3] ?? '') }, length: filter[0].length };
}

function literal(text: string): unknown {
  if (/^(['"]).*\1$/.test(text)) return text.slice(1, -1);
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function follow(value: unknown, steps: readonly Step[]): unknown[] {
  let found: unknown[] = [value];
  for (const step of steps) found = found.flatMap((each) => next(each, step));
  return found;
}

function next(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  switch (step.type) {
    case 'field':
      return !Array.isArray(value) && Object.hasOwn(value, step.name) ? [(value as Readonly<Record<string, unknown>>)[step.name]] : [];
    case 'index':
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
    case 'every':
      return Object.values(value);
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => passes(item, step)) : [];
  }
}

function passes(item: unknown, { path, operator, value }: Extract<Step, { type: 'filter' }>): boolean {
  const [found] = follow(item, path);
  if (operator === '') return found !== undefined;
  if (found === undefined || found === null) return false;
  switch (operator) {
    case '==':
      return found === value;
    case '!=':
      return found !== value;
    default: {
      if (typeof found !== typeof value) return false;
      const [a, b] = [found as number, value as number];
      return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b;
    }
  }
}
