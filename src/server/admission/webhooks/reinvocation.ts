import { toDraft } from '../../../api/draft.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import type { V1ManagedFieldsEntry } from '../../../api/generated/types.js';
import type { KubeObject } from '../../../api/meta/object.js';
import type { Reinvocation } from '../plugin.js';

/** Which webhooks are to be called a second time, and what the first round left behind. */
export class WebhookReinvocation implements Reinvocation {
  wanted = false;
  running = false;
  /** Webhooks that want to be called again, called since the last change of the object. */
  private called = new Set<string>();
  private readonly again = new Set<string>();
  private output: KubeObject | undefined;

  constructor(readonly managedFields: readonly V1ManagedFieldsEntry[] | undefined) {}

  /** A webhook with the policy `IfNeeded` has been called. */
  add(uid: string): void {
    this.called.add(uid);
  }

  /** The object has changed: those called before it may want to see that. */
  changed(): void {
    for (const uid of this.called) this.again.add(uid);
    this.called = new Set();
  }

  isDue(uid: string): boolean {
    return this.again.has(uid);
  }

  /** Begins the second round: plugins of our own may have changed the object since. */
  resume(object: KubeObject | undefined): void {
    if (!deepEqual(this.output, object)) this.changed();
  }

  /** Ends the first round. */
  pause(object: KubeObject | undefined): void {
    if (this.wanted) this.output = object === undefined ? undefined : (toDraft(object) as KubeObject);
  }
}
