/** What a config map of the test holds: its revision and the mark of the write that made it. */
export interface Held {
  readonly revision: number;
  readonly mark: string;
}

/** A write whose answer did not come: it may have happened or not. */
export interface Unanswered {
  /** Mark of the write; absent for a deletion. */
  readonly mark: string | undefined;
}

/** Everything that the server has told anybody so far; complaints are collected, not thrown, so that one run shows all of them. */
export class Ledger {
  readonly complaints: string[] = [];
  /** Acknowledged creations and updates since the last restart. */
  readonly answered: { readonly key: string; readonly revision: number }[] = [];
  readonly state = new Map<string, Held>();
  readonly unanswered = new Map<string, Unanswered>();
  acknowledged = 0;
  /** The newest revision that anybody has seen. */
  highest = 0;
  /** What each revision stands for: it must never stand for anything else. */
  private readonly meaning = new Map<number, string>();
  private readonly acknowledgedRevisions = new Set<number>();
  /** Everything acknowledged from now on has to be newer. */
  private floor = 0;

  complain(text: string): void {
    this.complaints.push(text);
  }

  /** Somebody saw that a revision stands for a write. */
  saw(revision: number, key: string, mark: string): void {
    const text = `${key} ${mark}`;
    const known = this.meaning.get(revision);
    if (known !== undefined && known !== text) this.complain(`revision ${revision} was given twice: for "${known}" and for "${text}"`);
    this.meaning.set(revision, text);
    this.highest = Math.max(this.highest, revision);
  }

  /** A creation or update was acknowledged. */
  acknowledge(key: string, held: Held): void {
    this.acknowledged++;
    if (this.acknowledgedRevisions.has(held.revision)) this.complain(`revision ${held.revision} was acknowledged twice`);
    this.acknowledgedRevisions.add(held.revision);
    if (held.revision <= this.floor) this.complain(`revision went back: ${held.revision} was given after ${this.floor} had been seen before the restart`);
    this.saw(held.revision, key, held.mark);
    this.state.set(key, held);
    this.answered.push({ key, revision: held.revision });
  }

  acknowledgeDeletion(key: string): void {
    this.acknowledged++;
    this.state.delete(key);
  }

  /** Compares what a restarted server holds with what was acknowledged, and learns how unanswered writes ended. */
  restarted(revision: number, found: ReadonlyMap<string, Held>): void {
    if (revision < this.highest) this.complain(`after the restart the server is at revision ${revision}, but ${this.highest} had been seen`);
    for (const key of new Set([...this.state.keys(), ...found.keys(), ...this.unanswered.keys()])) this.settle(key, found.get(key));
    this.unanswered.clear();
    this.answered.length = 0;
    this.highest = Math.max(this.highest, revision);
    this.floor = this.highest;
  }

  private settle(key: string, found: Held | undefined): void {
    const known = this.state.get(key);
    const open = this.unanswered.get(key);
    const asAcknowledged = found?.revision === known?.revision && found?.mark === known?.mark;
    const asUnanswered = open !== undefined && found?.mark === open.mark;
    if (!asAcknowledged && !asUnanswered) {
      this.complain(`${key}: acknowledged ${JSON.stringify(known ?? null)}, unanswered ${JSON.stringify(open ?? null)}, found ${JSON.stringify(found ?? null)}`);
    }
    if (found) {
      this.saw(found.revision, key, found.mark);
      this.state.set(key, found);
    } else this.state.delete(key);
  }
}
