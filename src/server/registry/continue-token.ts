import { badRequestError } from '../../api/status-error.js';

/** Where a list goes on. */
export interface ContinueToken {
  /** Revision of the first page; -1: whatever is newest. */
  readonly revision: number;
  /** First key wanted, relative to the list's namespace. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

/** As opaque to clients as upstream's, and of the same form. */
export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: `/${token.start}` })).toString('base64url');
}

/** Throws a 400 `Status` for anything that is not a token. */
export function decodeContinue(text: string): ContinueToken {
  const fail = (why: string): never => {
    throw badRequestError(`invalid continue token: ${why}`);
  };
  if (!/^[A-Za-z0-9_-]*$/.test(text)) fail('continue key is not valid: illegal base64 data at input byte ' + String(text.search(/[^A-Za-z0-9_-]/)));
  if (text.length % 4 === 1) fail(`continue key is not valid: illegal base64 data at input byte ${text.length - 1}`);
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    fail(`continue key is not valid: invalid character '${Buffer.from(text, 'base64url').toString().slice(0, 1)}' looking for beginning of value`);
  }
  const { v, rv, start } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (v !== VERSION) fail(`continue key is not valid: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) fail('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') fail('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  const key = (start as string).startsWith('/') ? (start as string).slice(1) : (start as string);
  if (key.split('/').some((part) => part === '..' || part === '.') || key.includes('//')) fail(`continue key is not valid: ${start as string}`);
  return { revision: rv as number, start: key };
}
