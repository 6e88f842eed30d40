import { KubeError } from '../../base/errors.js';

/** One record of a CSV file. */
export interface CsvRecord {
  /** Line on which it begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads CSV as RFC 4180 has it: fields with commas, line ends or quotes stand in quotes, quotes in them are doubled; empty lines are
 * skipped. Blanks belong to the fields. Throws `KUBE_CSV` with file, line and rule, never with content.
 */
export function parseCsv(file: string, text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let [at, line] = [0, 1];
  const fail = (where: number, why: string): never => {
    throw new KubeError('KUBE_CSV', `${file}, line ${where}: ${why}`);
  };
  const quoted = (): string => {
    const began = line;
    let value = '';
    for (at++; ; at++) {
      const sign = text[at];
      if (sign === undefined) return fail(began, 'a quoted field does not end');
      if (sign === '\n') line++;
      if (sign !== '"') value += sign;
      else if (text[at + 1] === '"') value += text[at++];
      else break;
    }
    at++;
    if (at < text.length && !/^(,|\r?\n)/.test(text.slice(at, at + 2))) return fail(line, 'a quote inside of a quoted field must be doubled');
    return value;
  };
  const plain = (): string => {
    const end = /,|\r?\n/.exec(text.slice(at))?.index ?? text.length - at;
    const value = text.slice(at, at + end);
    at += end;
    if (value.includes('"')) return fail(line, 'a field with a quote in it must stand in quotes');
    return value;
  };
  while (at < text.length) {
    const empty = /^\r?\n/.exec(text.slice(at, at + 2));
    if (empty) {
      at += empty[0].length;
      line++;
      continue;
    }
    const record = { line, fields: [] as string[] };
    for (;;) {
      record.fields.push(text[at] === '"' ? quoted() : plain());
      if (text[at] !== ',') break;
      at++;
    }
    records.push(record);
  }
  return records;
}
