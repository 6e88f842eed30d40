import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import type { Component } from '../../base/component.js';
import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { Rounds } from '../../base/rounds.js';
import type { ContainerStatus, RuntimeService } from '../runtime/index.js';

/** The kubelet's period, in milliseconds. */
const PERIOD = 60_000;
/** Dead instances of one container that are kept: the kubelet's `maximum-dead-containers-per-container`. */
const KEPT = 1;

export interface ContainerCollectorOptions {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'listPodSandbox' | 'removeContainer' | 'removePodSandbox'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Folder of the pods' log folders, named `<namespace>_<name>_<uid>`; need not exist. */
  readonly logFolder: string;
  /** Uids of the pods that the API has. */
  known(): ReadonlySet<string>;
  /** Those of them that have ended for good. */
  finished(): ReadonlySet<string>;
  /** A warning about the node. */
  warn(reason: 'ContainerGCFailed', message: string): void;
}

/** Removes what dead containers leave: older instances of one container, sandboxes in which nothing is any more, logs of pods that are gone. */
export class ContainerCollector implements Component {
  readonly name = 'container garbage collection';
  private readonly rounds: Rounds;

  constructor(private readonly options: ContainerCollectorOptions) {
    this.rounds = new Rounds(options.clock, async () => {
      await this.collect();
      return PERIOD;
    });
  }

  start(): Promise<void> {
    this.rounds.start(PERIOD);
    return Promise.resolve();
  }

  stop(): Promise<void> {
    void this.rounds.stop();
    return Promise.resolve();
  }

  /** One collection; with `thorough` (the disk is full), of pods that have ended nothing is kept. Failures become an event. */
  async collect(thorough = false): Promise<void> {
    try {
      await this.removeContainers(thorough ? this.options.finished() : new Set());
      await this.removeSandboxes();
      await this.removeLogs();
    } catch (error) {
      this.options.log.error('container garbage collection failed', { error: errorMessage(error) });
      this.options.warn('ContainerGCFailed', errorMessage(error));
    }
  }

  private async removeContainers(finished: ReadonlySet<string>): Promise<void> {
    const { runtime } = this.options;
    const known = this.options.known();
    const dead = new Map<string, ContainerStatus[]>();
    for (const container of await runtime.listContainers()) {
      if (container.state !== 'exited') continue;
      const key = `${container.podUid}/${container.name}`;
      dead.set(key, [...(dead.get(key) ?? []), container]);
    }
    // Lists are newest first.
    for (const instances of dead.values()) {
      const { podUid } = instances[0]!;
      for (const { id } of instances.slice(finished.has(podUid) || !known.has(podUid) ? 0 : KEPT)) await runtime.removeContainer(id);
    }
  }

  /** A pod's newest sandbox stays as long as the pod does. */
  private async removeSandboxes(): Promise<void> {
    const { runtime } = this.options;
    const known = this.options.known();
    const [sandboxes, containers] = [await runtime.listPodSandbox(), await runtime.listContainers()];
    const used = new Set(containers.map(({ sandboxId }) => sandboxId));
    const seen = new Set<string>();
    for (const { id, state, metadata } of sandboxes) {
      const newest = !seen.has(metadata.uid);
      seen.add(metadata.uid);
      if (state === 'notready' && !used.has(id) && !(newest && known.has(metadata.uid))) await runtime.removePodSandbox(id);
    }
  }

  private async removeLogs(): Promise<void> {
    const { logFolder, runtime } = this.options;
    const known = this.options.known();
    const running = new Set((await runtime.listPodSandbox()).map(({ metadata }) => metadata.uid));
    for (const name of await readdir(logFolder).catch(() => [])) {
      const uid = name.split('_').at(-1)!;
      if (name.split('_').length === 3 && !known.has(uid) && !running.has(uid)) await rm(join(logFolder, name), { recursive: true, force: true });
    }
  }
}
