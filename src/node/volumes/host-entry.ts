import type { V1Pod } from '../../api/generated/types.js';
import type { CancelTimer } from '../../base/clock.js';
import type { Release } from './content/object-watches.js';
import type { PreparedVolume } from './sources/prepared.js';

/** A volume that is there. */
export interface ReadyVolume extends Omit<PreparedVolume, 'mount' | 'finish'> {
  /** End the interest in the objects that it shows. */
  readonly releases: Release[];
  cancelRefresh: CancelTimer | undefined;
  /** Its files are to be compared with what they are made of; a refresh waits for its turn. */
  stale: boolean;
}

/** The volumes of one pod. Work on them is done one after the other. */
export class HostEntry {
  readonly volumes = new Map<string, ReadyVolume>();
  /** Nothing is made any more. */
  gone = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(public pod: V1Pod) {}

  /** Runs a piece of work after all that were given before. */
  serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Ends watches and timers. */
  close(): void {
    this.gone = true;
    for (const volume of this.volumes.values()) {
      for (const release of volume.releases.splice(0)) release();
      volume.cancelRefresh?.();
    }
  }
}
