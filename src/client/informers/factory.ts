import { setMaxListeners } from 'node:events';
import { groupResourceText, type KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Client } from '../client.js';
import type { Informer, InformerFactory } from '../informer.js';
import { Reflector } from './reflector.js';
import { SharedInformer } from './shared-informer.js';

/** What a factory needs; the client's identity must be allowed to list and watch what is asked for. */
export interface InformerFactoryOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

interface Entry {
  readonly informer: SharedInformer<KubeObject>;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Makes the informers that all who run with one client share. */
export function createInformerFactory(options: InformerFactoryOptions): InformerFactory {
  const entries = new Map<string, Entry>();
  const stopping = new AbortController();
  // Every reflector listens to it.
  setMaxListeners(0, stopping.signal);
  const running: Promise<void>[] = [];
  let started = false;

  return {
    informer<T extends KubeObject>(ref: ResourceRef<T>, select: { readonly namespace?: string; readonly fieldSelector?: string; readonly labelSelector?: string } = {}): Informer<T> {
      const key = [ref.group, ref.version, ref.resource, select.namespace ?? '', select.fieldSelector ?? '', select.labelSelector ?? ''].join('|');
      let entry = entries.get(key);
      if (!entry) {
        const name = groupResourceText(ref);
        const informer = new SharedInformer<T>(name, options.log);
        const reflector = new Reflector<T>({
          client: options.client.resource(ref),
          namespace: select.namespace ?? '',
          selectors: { ...(select.fieldSelector ? { fieldSelector: select.fieldSelector } : {}), ...(select.labelSelector ? { labelSelector: select.labelSelector } : {}) },
          sink: informer,
          clock: options.clock,
          random: options.random,
          log: options.log.child({ resource: name }),
        });
        // The map holds informers of all kinds; the key holds the kind.
        entry = { informer: informer as unknown as SharedInformer<KubeObject>, run: (signal) => reflector.run(signal) };
        entries.set(key, entry);
        if (started) running.push(entry.run(stopping.signal));
      }
      return entry.informer as unknown as Informer<T>;
    },

    start(): void {
      if (started) return;
      started = true;
      for (const entry of entries.values()) running.push(entry.run(stopping.signal));
    },

    async waitForSync(signal?: AbortSignal): Promise<void> {
      if (stopping.signal.aborted) throw new KubeError('KUBE_INFORMER_STOPPED', 'the informers are stopped');
      const waiting = new AbortController();
      setMaxListeners(0, waiting.signal);
      const abort = (): void => waiting.abort();
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      try {
        await Promise.all([...entries.values()].map((entry) => entry.informer.whenSynced(waiting.signal)));
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },

    async stop(): Promise<void> {
      stopping.abort();
      for (const entry of entries.values()) entry.informer.end();
      await Promise.all(running);
    },
  };
}
