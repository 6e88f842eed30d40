import { KubeError } from '../../base/errors.js';
import type { FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { invalid } from '../meta/field-error.js';
import { labelKey } from '../meta/validation/labels.js';
import { BINARY_OPERATORS_TEXT, requirementErrors, type LabelOperator, type LabelRequirement } from './label-requirement.js';
import { aggregateText } from '../helpers/aggregate-text.js';

/** The error of a label selector that cannot be used. */
export function selectorError(message: string): KubeError {
  return new KubeError('KUBE_INVALID_LABEL_SELECTOR', message);
}

/** Field errors as upstream's aggregate prints them. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  return aggregateText(texts);
}

interface Token {
  readonly type: 'word' | 'symbol' | 'end';
  readonly text: string;
}

const END: Token = { type: 'end', text: '' };
const OPERATORS: Readonly<Record<string, LabelOperator>> = { '=': '=', '==': '==', '!=': '!=', '>': 'gt', '<': 'lt', in: 'in', notin: 'notin' };
/** Blanks, then a symbol, a word, or (a NUL ends the text) nothing. */
const TOKEN = /[ \t\r\n]*(?:(==|!=|[=!(),><])|([^=!(),><\0 \t\r\n][^=!(),><\0 \t\r\n]*)\0?|($|\0))/gy;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const match = TOKEN.exec(text);
    if (match?.[1] !== undefined) tokens.push({ type: 'symbol', text: match[1] });
    else if (match?.[2] !== undefined) tokens.push({ type: 'word', text: match[2] });
    else break;
  }
  tokens.push(END);
  return tokens;
}

/**
 * Parses the text form: `a=b,c!=d,e in (f,g),!h,i>5`. The requirements come sorted by key.
 * Throws a `KubeError` `KUBE_INVALID_LABEL_SELECTOR` with upstream's message.
 */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  return new Parser(tokenize(text)).selector().sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

class Parser {
  private position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.peek();
      if (token.type === 'end') return requirements;
      if (!this.beginsRequirement(token)) throw selectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      try {
        requirements.push(this.requirement());
      } catch (error) {
        throw error instanceof KubeError ? selectorError(`unable to parse requirement: ${error.message}`) : error;
      }
      const next = this.take();
      if (next.type === 'end') return requirements;
      if (!isSymbol(next, ',')) throw selectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.peek();
      if (!this.beginsRequirement(after)) throw selectorError(`found '${after.text}', expected: identifier after ','`);
    }
  }

  private requirement(): LabelRequirement {
    let token = this.take();
    const absent = isSymbol(token, '!');
    if (absent) token = this.take();
    if (token.type !== 'word') throw selectorError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const messages = labelKey(key);
    if (messages.length > 0) throw selectorError(fieldErrorsText([invalid(FieldPath.root, key, messages.join('; '))]));
    if (absent) return checked({ key, operator: '!', values: [] });
    if (this.endsRequirement(this.peek())) return checked({ key, operator: 'exists', values: [] });
    const word = this.take();
    const operator = Object.hasOwn(OPERATORS, word.text) ? OPERATORS[word.text] : undefined;
    if (operator === undefined) throw selectorError(`found '${word.text}', expected: ${BINARY_OPERATORS_TEXT}`);
    const values = operator === 'in' || operator === 'notin' ? this.valueSet() : [this.exactValue()];
    return checked({ key, operator, values });
  }

  /** `(a,b)`, where empty values are meant by missing ones. */
  private valueSet(): string[] {
    const open = this.take();
    if (!isSymbol(open, '(')) throw selectorError(`found '${open.text}' expected: '('`);
    const first = this.peek();
    if (isSymbol(first, ')')) {
      this.take();
      return [''];
    }
    if (first.type !== 'word' && !isSymbol(first, ',')) throw selectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    for (;;) {
      const token = this.take();
      if (token.type === 'word') {
        values.add(token.text);
        const next = this.peek();
        if (isSymbol(next, ')')) break;
        if (!isSymbol(next, ',')) throw selectorError(`found '${next.text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ',')) {
        const next = this.peek();
        if (values.size === 0 || isSymbol(next, ')') || isSymbol(next, ',')) values.add('');
        if (isSymbol(next, ')')) break;
      } else {
        throw selectorError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    this.take();
    return [...values].sort();
  }

  private exactValue(): string {
    if (this.endsRequirement(this.peek())) return '';
    const token = this.take();
    if (token.type !== 'word') throw selectorError(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  private beginsRequirement(token: Token): boolean {
    return token.type === 'word' || isSymbol(token, '!');
  }

  private endsRequirement(token: Token): boolean {
    return token.type === 'end' || isSymbol(token, ',');
  }

  private peek(): Token {
    return this.tokens[this.position] ?? END;
  }

  private take(): Token {
    return this.tokens[this.position++] ?? END;
  }
}

function isSymbol(token: Token, text: string): boolean {
  return token.type === 'symbol' && token.text === text;
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const errors = requirementErrors(requirement);
  if (errors.length > 0) throw selectorError(fieldErrorsText(errors));
  return requirement;
}
