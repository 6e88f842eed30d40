import type { Draft } from '../../../api/draft.js';
import { deepEqual } from '../../../api/helpers/deep-equal.js';
import type { KubeObject } from '../../../api/meta/object.js';
import { internalError } from '../../../api/status-error.js';
import { errorMessage } from '../../../base/errors.js';
import { nextTurn, run } from '../../../base/steps.js';
import type { ClusterView } from '../../registry/cluster-view.js';
import { ensureNamespace, metadataOf } from '../../registry/object-metadata.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../plugin.js';
import type { HookCalls } from './hook-calls.js';
import { HookFailure } from './hook-failure.js';
import type { HookSource, Invocation } from './hook-source.js';
import { settleManagedFields } from './managed-fields.js';
import { matchConditionsHold } from './match-conditions.js';
import { decodePatch, patchObject } from './patch-object.js';
import { WebhookReinvocation } from './reinvocation.js';
import { selectorsMatch } from './selectors.js';
import { VersionedObjects, type VersionEnvironment } from './versioned-objects.js';

/** What the plugins need of the server. */
export interface WebhookPluginEnvironment {
  readonly view: ClusterView;
  readonly versions: () => VersionEnvironment;
  readonly hooks: HookSource;
  readonly calls: HookCalls;
}

/** Lets the webhooks of `MutatingWebhookConfiguration`s change objects, one after the other. */
export class MutatingAdmissionWebhook implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';

  constructor(private readonly environment: WebhookPluginEnvironment) {}

  handles(): boolean {
    return true;
  }

  admit(a: AdmissionAttributes): void | Promise<void> {
    const invocations = this.environment.hooks.invocations(a);
    if (invocations.length > 0) return new Round(this.environment, a).run(invocations);
  }
}

/** An object on its way through the webhooks, in the version of the last one. */
interface Current {
  readonly invocation: Invocation;
  object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  dirty: boolean;
}

/** One pass over the webhooks. */
class Round {
  private readonly state: WebhookReinvocation;
  private readonly versions: VersionedObjects;
  private current: Current | undefined;

  constructor(
    private readonly environment: WebhookPluginEnvironment,
    private readonly a: AdmissionAttributes,
  ) {
    const { reinvocation } = a;
    this.state = reinvocation instanceof WebhookReinvocation ? reinvocation : new WebhookReinvocation(a.object?.metadata?.managedFields);
    a.reinvocation = this.state;
    this.versions = new VersionedObjects(environment.versions(), a);
  }

  async run(invocations: readonly Invocation[]): Promise<void> {
    const { a, state } = this;
    if (state.running) state.resume(a.object as KubeObject | undefined);
    for (const invocation of invocations) {
      const { hook } = invocation;
      const object = this.current?.object ?? (a.object as KubeObject | undefined);
      if (!selectorsMatch(this.environment.view, hook, a, object) || !matchConditionsHold(hook, a)) continue;
      // What was not called in the first round is not called in the second one.
      if (state.running && !state.isDue(hook.uid)) continue;
      const current = await this.in(invocation);
      if (await this.environment.calls.judged(invocation, a, () => this.call(invocation, current))) {
        state.changed();
        state.wanted = true;
      }
      if (hook.spec.reinvocationPolicy === 'IfNeeded') state.add(hook.uid);
    }
    await this.putBack();
    if (!state.running) state.pause(a.object as KubeObject | undefined);
  }

  /** The object in the version that a webhook asks for. */
  private async in(invocation: Invocation): Promise<Current> {
    const { kind } = invocation;
    const last = this.current?.invocation.kind;
    if (last && last.version === kind.version && last.group === kind.group && last.kind === kind.kind) return this.current!;
    await this.putBack();
    const [object, oldObject] = await Promise.all([this.versions.written(this.a.object as KubeObject | undefined, invocation), this.versions.written(this.a.oldObject, invocation)]);
    return (this.current = { invocation, object, oldObject, dirty: false });
  }

  private async putBack(): Promise<void> {
    const { current, a } = this;
    if (!current?.dirty) return;
    const draft = current.object as Draft<KubeObject>;
    if (a.operation !== 'CONNECT') {
      await run(settleManagedFields(draft, this.state.managedFields, (text) => a.warn(text)));
      ensureNamespace(metadataOf(draft), a.resource.resource === 'namespaces' && a.resource.group === '' ? '' : a.namespace);
    }
    await this.versions.replace(draft, current.invocation);
    this.current = undefined;
  }

  /** Whether the webhook changed the object. */
  private async call(invocation: Invocation, current: Current): Promise<boolean> {
    const verdict = await this.environment.calls.ask(invocation, this.a, current);
    const { name } = invocation.hook;
    const operations = verdict.patch === undefined ? [] : await run(operationsOf(name, verdict.patch));
    if (operations.length === 0) return false;
    const { object } = current;
    if (!object) throw internalError(`admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`);
    if (verdict.patchType !== 'JSONPatch') throw new HookFailure(name, `unsupported patch type ${JSON.stringify(verdict.patchType)}`, 400);
    // Objects and patches may be large: others get their turn between the steps.
    const patched = await patchObject(object, operations);
    await nextTurn();
    const draft = this.versions.patched(patched, invocation);
    await nextTurn();
    const next = this.environment.versions().codec.writtenForm(draft as KubeObject, invocation.kind);
    await nextTurn();
    const changed = !deepEqual(object, next);
    current.object = next;
    current.dirty = true;
    return changed;
  }
}

function* operationsOf(webhook: string, patch: Buffer): ReturnType<typeof decodePatch> {
  try {
    return yield* decodePatch(patch);
  } catch (error) {
    throw new HookFailure(webhook, `received undecodable patch in webhook response: ${errorMessage(error)}`, 503);
  }
}
