/** Leaves of an object by their paths. */
export type Flat = Readonly<Record<string, string>>;

/** The comparable part of an answer. */
export interface Facts {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: readonly string[];
  readonly object?: Flat;
  readonly warnings?: readonly string[];
}

export interface Difference {
  readonly set?: Flat;
  readonly unset?: readonly string[];
}

export function factsOf(status: number, object: unknown, warnings?: readonly string[]): Facts;
export function flatten(value: unknown): Flat;
export function difference(from: Flat, to: Flat): Difference;
export function restore(from: Flat, difference: Difference): Flat;
export function warningsOf(values: readonly string[]): string[];
