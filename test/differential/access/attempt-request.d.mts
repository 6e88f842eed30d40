/** One attempt to gain rights. */
export interface Attempt {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** User whom the administrator acts as. */
  readonly as?: string;
  /** Node whom the administrator acts as. */
  readonly node?: string;
  readonly token?: string;
  /** Name and value, in order. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly type?: string;
  readonly body?: unknown;
}

export const TOKENS: readonly string[];
export function completed<T>(object: T): T;
export function attemptRequest(attempt: Attempt): { readonly method: string; readonly path: string; readonly headers: readonly (readonly [string, string])[]; readonly text: string | undefined };
