/** A pause is due after this much work: about as many small values that are looked at. */
const WORK_PER_STEP = 20;

/** Says when work that is done step by step has been going on for long enough. */
export class Pace {
  private work = 0;

  /** Counts a piece of work; true: others should get their turn. */
  due(amount = 1): boolean {
    this.work += amount;
    if (this.work < WORK_PER_STEP) return false;
    this.work = 0;
    return true;
  }
}
