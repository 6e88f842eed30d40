import type { V1Pod } from '../../../api/generated/types.js';
import type { Clock } from '../../../base/clock.js';
import { errorMessage } from '../../../base/errors.js';
import type { Logger } from '../../../base/log.js';
import type { HostEntry, ReadyVolume } from '../host-entry.js';
import type { VolumeContent } from '../sources/prepared.js';
import { writePayload } from './atomic-writer.js';
import type { ObjectWatches } from './object-watches.js';

/** Files of so many volumes are written at the same time: a change of one object may concern hundreds. */
const PARALLEL = 4;
/** A refresh that failed (the object is gone, the API server away) is tried again after so many milliseconds; what is there stays. */
const RETRY = 60_000;
/** A clock that is wrong does not make it spin. */
const SOONEST = 1000;

/** Keeps the files of volumes equal to what they are made of. */
export class ContentKeeper {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly environment: { readonly watches: ObjectWatches; readonly clock: Clock; readonly log: Logger; readonly version: () => string }) {}

  /** A volume was made of `pod`: what it is made of is followed from now on. */
  begin(entry: HostEntry, volume: ReadyVolume, pod: V1Pod): void {
    const { content, refreshAt } = volume;
    if (!content) return;
    const namespace = pod.metadata?.namespace ?? '';
    // A watch that begins now calls back with its first state: nothing is missed.
    for (const { ref, name } of content.sources) volume.releases.push(this.environment.watches.follow(ref, namespace, name, () => this.markStale(entry, volume)));
    if (content.showsPod && entry.pod !== pod) this.markStale(entry, volume);
    else this.later(entry, volume, refreshAt);
  }

  /** The pod changed. */
  podChanged(entry: HostEntry): void {
    for (const volume of entry.volumes.values()) if (volume.content?.showsPod) this.markStale(entry, volume);
  }

  private markStale(entry: HostEntry, volume: ReadyVolume): void {
    if (volume.stale || entry.gone || !volume.content) return;
    volume.stale = true;
    const { content } = volume;
    void entry.serialize(() => this.inTurn(() => this.refresh(entry, volume, content)));
  }

  private async inTurn(work: () => Promise<void>): Promise<void> {
    if (this.running >= PARALLEL) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      await work();
    } finally {
      // Who waits takes over the place.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private async refresh(entry: HostEntry, volume: ReadyVolume, content: VolumeContent): Promise<void> {
    const { clock, log, version } = this.environment;
    volume.stale = false;
    if (entry.gone) return;
    try {
      const { payload, refreshAt } = await content.collect(entry.pod);
      await writePayload(content.folder, payload, { version, ...(content.gid === undefined ? {} : { gid: content.gid }) });
      this.later(entry, volume, refreshAt);
    } catch (error) {
      const { name, namespace } = entry.pod.metadata ?? {};
      log.debug('files of a volume stay as they are', { pod: name, namespace, folder: content.folder, error: errorMessage(error) });
      this.later(entry, volume, clock.now() + RETRY);
    }
  }

  private later(entry: HostEntry, volume: ReadyVolume, at: number | undefined): void {
    volume.cancelRefresh?.();
    volume.cancelRefresh = undefined;
    if (at === undefined || entry.gone) return;
    const { clock } = this.environment;
    volume.cancelRefresh = clock.setTimeout(() => this.markStale(entry, volume), Math.max(SOONEST, at - clock.now()), { unref: true });
  }
}
