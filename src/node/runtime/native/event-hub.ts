import type { Logger } from '../../../base/log.js';
import { errorMessage } from '../../../base/errors.js';
import type { RuntimeEvent } from '../types.js';

/** Tells listeners what happened, each in a turn of its own. */
export class EventHub {
  private listeners: readonly ((event: RuntimeEvent) => void)[] = [];

  constructor(private readonly log: Logger) {}

  add(listener: (event: RuntimeEvent) => void): () => void {
    const own = (event: RuntimeEvent): void => listener(event);
    this.listeners = [...this.listeners, own];
    return () => {
      this.listeners = this.listeners.filter((other) => other !== own);
    };
  }

  emit(event: RuntimeEvent): void {
    queueMicrotask(() => {
      for (const listener of this.listeners) {
        try {
          listener(event);
        } catch (error) {
          this.log.error('a listener of runtime events failed', { type: event.type, error: errorMessage(error) });
        }
      }
    });
  }
}
