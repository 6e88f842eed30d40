import type { PullProgress } from '../run/index.js';

/** Tells a person how far a pull is: a line for each step of each blob, none for every chunk. */
export class PullReport {
  private readonly said = new Set<string>();

  constructor(private readonly write: (text: string) => void) {}

  add(event: PullProgress): void {
    const { digest, state, totalBytes, message } = event;
    const what = digest ? digest.slice(7, 19) : event.image;
    const key = `${what} ${state}${state === 'retrying' ? (message ?? '') : ''}`;
    if (this.said.has(key)) return;
    this.said.add(key);
    const size = state === 'downloading' && totalBytes ? ` ${(totalBytes / 1e6).toFixed(1)}MB` : '';
    this.write(`${what}: ${state}${size}${message ? `: ${message}` : ''}`);
  }
}
