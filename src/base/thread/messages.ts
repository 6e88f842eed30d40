/* What a thread and whoever asks it send each other. */

/** A question to a thread. */
export interface Question<Q> {
  readonly number: number;
  readonly question: Q;
}

/** What a thread sends back: its answer, or why there is none. */
export type Reply<A> = { readonly number: number; readonly answer: A } | { readonly number: number; readonly failure: string };
