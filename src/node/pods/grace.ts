/** The time that a pod's containers get to end. It can only shrink. */
export class Grace {
  private seconds: number | undefined;
  private listeners: readonly (() => void)[] = [];

  /** Undefined: as the pod's spec says. */
  get current(): number | undefined {
    return this.seconds;
  }

  /** Takes a new value if it is shorter than the one before. */
  shorten(seconds: number): void {
    if (this.seconds !== undefined && seconds >= this.seconds) return;
    this.seconds = seconds;
    for (const listener of this.listeners) listener();
  }

  onShorter(listener: () => void): () => void {
    this.listeners = [...this.listeners, listener];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    };
  }
}
