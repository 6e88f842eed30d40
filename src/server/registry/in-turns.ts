import { inPieces, type Steps } from '../../base/steps.js';

/** Steps that are done before others get their turn: well under 10 ms. */
const STEPS_PER_TURN = 250;

/** Does all small steps of a piece of work, and lets others have their turn in between. */
export function inTurns<T>(steps: Steps<T>): Promise<T> {
  return inPieces(steps, STEPS_PER_TURN);
}
