/** A command of a script: words still unexpanded, with what joins it to the one before. */
export interface ShellCommand {
  readonly join: ';' | '&&' | '||';
  readonly words: readonly ShellWord[];
  /** Where its output goes. */
  readonly output: 'stdout' | 'stderr' | 'termination' | 'nowhere';
}

/** Pieces of one word: literal text, or something to expand. */
export type ShellWord = readonly ({ readonly text: string } | { readonly variable: string } | { readonly command: string })[];

/**
 * Splits a small part of shell syntax: commands joined by `;`, `&&`, `||` and line ends, quotes, `$NAME`, `${NAME}`,
 * `$(command)`, and output to stderr, `/dev/null` and `/dev/termination-log`. Undefined for everything else.
 */
export function parseScript(script: string): readonly ShellCommand[] | undefined {
  const commands: ShellCommand[] = [];
  let join: ShellCommand['join'] = ';';
  let words: ShellWord[] = [];
  let output: ShellCommand['output'] = 'stdout';
  let rest = script;
  const finish = (next: ShellCommand['join']): void => {
    if (words.length > 0) commands.push({ join, words, output });
    join = next;
    words = [];
    output = 'stdout';
  };
  while (rest !== '') {
    const space = /^(?:[ \t]|\\\n)+/.exec(rest);
    if (space) rest = rest.slice(space[0].length);
    if (rest === '') break;
    const comment = /^#[^\n]*/.exec(rest);
    const redirect = /^(?:1?>>?\s*(&2|\/dev\/null|\/dev\/stderr|\/dev\/stdout|\/dev\/termination-log))(?=[\s;&|]|$)/.exec(rest);
    const quiet = /^2>\s*(?:\/dev\/null|&1)/.exec(rest);
    const operator = /^(?:&&|\|\||;|\n)/.exec(rest);
    if (comment) rest = rest.slice(comment[0].length);
    else if (redirect) {
      output = redirect[1] === '/dev/null' ? 'nowhere' : redirect[1] === '/dev/termination-log' ? 'termination' : redirect[1] === '/dev/stdout' ? 'stdout' : 'stderr';
      rest = rest.slice(redirect[0].length);
    } else if (quiet) rest = rest.slice(quiet[0].length);
    else if (operator) {
      finish(operator[0] === '\n' ? ';' : (operator[0] as ShellCommand['join']));
      rest = rest.slice(operator[0].length);
    } else {
      const word = parseWord(rest);
      if (!word) return undefined;
      words.push(word.word);
      rest = word.rest;
    }
  }
  finish(';');
  return commands;
}

type Piece = ShellWord[number];

function parseWord(source: string): { readonly word: ShellWord; readonly rest: string } | undefined {
  const word: Piece[] = [];
  let rest = source;
  while (rest !== '' && !/^[\s;]/.test(rest)) {
    const plain = /^[^\s;&|<>()`$"'\\*?[\]{}!#]+|^[#!{}](?![^\s;])/.exec(rest);
    if (plain) {
      word.push({ text: plain[0] });
      rest = rest.slice(plain[0].length);
      continue;
    }
    if (rest[0] === "'") {
      const end = rest.indexOf("'", 1);
      if (end < 0) return undefined;
      word.push({ text: rest.slice(1, end) });
      rest = rest.slice(end + 1);
    } else if (rest[0] === '"') {
      const quoted = parseQuoted(rest.slice(1));
      if (!quoted) return undefined;
      word.push({ text: '' }, ...quoted.pieces);
      rest = quoted.rest;
    } else if (rest[0] === '$') {
      const expansion = parseExpansion(rest);
      if (!expansion) return undefined;
      word.push(expansion.piece);
      rest = expansion.rest;
    } else if (rest[0] === '\\' && rest.length > 1) {
      word.push({ text: rest[1]! });
      rest = rest.slice(2);
    } else return undefined;
  }
  return { word, rest };
}

function parseQuoted(source: string): { readonly pieces: Piece[]; readonly rest: string } | undefined {
  const pieces: Piece[] = [];
  let rest = source;
  for (;;) {
    const plain = /^[^"$\\`]+/.exec(rest);
    if (plain) {
      pieces.push({ text: plain[0] });
      rest = rest.slice(plain[0].length);
    } else if (rest[0] === '"') return { pieces, rest: rest.slice(1) };
    else if (rest[0] === '$') {
      const expansion = parseExpansion(rest);
      if (!expansion) return undefined;
      pieces.push(expansion.piece);
      rest = expansion.rest;
    } else if (rest[0] === '\\' && rest.length > 1) {
      pieces.push({ text: /["$\\`]/.test(rest[1]!) ? rest[1]! : rest.slice(0, 2) });
      rest = rest.slice(2);
    } else return undefined;
  }
}

function parseExpansion(source: string): { readonly piece: Piece; readonly rest: string } | undefined {
  const variable = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(source);
  if (variable) return { piece: { variable: variable[1] ?? variable[2]! }, rest: source.slice(variable[0].length) };
  const command = /^\$\(([^()]*)\)/.exec(source);
  if (command) return { piece: { command: command[1]!.trim() }, rest: source.slice(command[0].length) };
  return undefined;
}
