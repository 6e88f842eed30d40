import type { KubeObject } from '../../../api/meta/object.js';
import { weighsAtLeast } from '../../../api/helpers/weight.js';
import { timeoutError } from '../../../api/status-error.js';
import { pause } from '../../../base/steps.js';
import { LARGE_BYTES } from '../../registry/large.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.js';
import type { Invocation } from './hook-source.js';
import { matchConditionsHold } from './match-conditions.js';
import type { WebhookPluginEnvironment } from './mutating-admission-webhook.js';
import type { ReviewObjects } from './review.js';
import { selectorsMatch } from './selectors.js';
import { VersionedObjects } from './versioned-objects.js';

/** Asks the webhooks of `ValidatingWebhookConfiguration`s, all at once. */
export class ValidatingAdmissionWebhook implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';

  constructor(private readonly environment: WebhookPluginEnvironment) {}

  handles(): boolean {
    return true;
  }

  validate(a: AdmissionAttributes): void | Promise<void> {
    const invocations = this.environment.hooks.invocations(a);
    if (invocations.length > 0) return this.ask(invocations, a);
  }

  private async ask(matching: readonly Invocation[], a: AdmissionAttributes): Promise<void> {
    const { view, calls } = this.environment;
    const object = a.object as KubeObject | undefined;
    const invocations = matching.filter(({ hook }) => selectorsMatch(view, hook, a, object) && matchConditionsHold(hook, a));
    if (invocations.length === 0) return;
    const objects = await this.objects(invocations, a);
    if (a.signal?.().aborted) throw timeoutError('request did not complete within requested timeout');
    // All are waited for; the first one that refuses is the answer.
    const refusals: unknown[] = [];
    const large = weighsAtLeast(a.object, LARGE_BYTES) || weighsAtLeast(a.oldObject, LARGE_BYTES);
    const answers: Promise<unknown>[] = [];
    for (const [i, invocation] of invocations.entries()) {
      // Sending much to very many is not done in one go.
      await pause(large);
      answers.push(calls.judged(invocation, a, () => calls.ask(invocation, a, objects[i]!)).catch((error: unknown) => refusals.push(error)));
    }
    await Promise.all(answers);
    if (refusals.length > 0) throw refusals[0];
  }

  /** The objects in the version of each invocation, made once per version. */
  private async objects(invocations: readonly Invocation[], a: AdmissionAttributes): Promise<ReviewObjects[]> {
    const versions = new VersionedObjects(this.environment.versions(), a);
    const made = new Map<string, Promise<ReviewObjects>>();
    return Promise.all(invocations.map((invocation) => {
      const { group, version, kind } = invocation.kind;
      const key = `${group}/${version}/${kind}`;
      let objects = made.get(key);
      if (!objects) {
        objects = Promise.all([versions.written(a.object as KubeObject | undefined, invocation), versions.written(a.oldObject, invocation)]).then(([object, oldObject]) => ({ object, oldObject }));
        made.set(key, objects);
      }
      return objects;
    }));
  }
}
