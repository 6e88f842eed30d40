import { run } from '../../base/steps.js';
import { managedFieldsProblem } from '../../api/apply/managed-problem.js';
import type { Draft } from '../../api/draft.js';
import type { V1ManagedFieldsEntry } from '../../api/generated/types.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../admission/plugin.js';

/** The admission plugins in order, sorted by what they handle once so that a request meets no others. */
export class AdmissionChain {
  private readonly mutating = new Map<AdmissionOperation, readonly AdmissionPlugin[]>();
  private readonly validating = new Map<AdmissionOperation, readonly AdmissionPlugin[]>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const) {
      const handling = plugins.filter((plugin) => plugin.handles(operation));
      this.mutating.set(operation, handling.filter((plugin) => plugin.admit !== undefined));
      this.validating.set(operation, handling.filter((plugin) => plugin.validate !== undefined));
    }
  }

  /** Lets the plugins change the object; all of them once more when one of them asks for it. Throws what a plugin refuses with. */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    const owned = attributes.object?.metadata?.managedFields;
    await this.round(attributes);
    const { reinvocation } = attributes;
    if (reinvocation?.wanted) {
      reinvocation.running = true;
      await this.round(attributes);
    }
    await keepReadable(attributes, owned);
  }

  private async round(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.mutating.get(attributes.operation)!) {
      const pending = plugin.admit!(attributes);
      if (pending) await pending;
    }
  }

  /** Asks the plugins whether the object may be stored. Throws what a plugin refuses with. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.validating.get(attributes.operation)!) {
      const pending = plugin.validate!(attributes);
      if (pending) await pending;
    }
  }
}

/** Plugins may change managed fields, but not so that nobody can read them any more: then those from before stay. */
async function keepReadable({ object, warn }: AdmissionAttributes, before: Draft<V1ManagedFieldsEntry>[] | undefined): Promise<void> {
  const metadata = object?.metadata;
  if (!metadata || metadata.managedFields === before) return;
  const problem = await run(managedFieldsProblem(metadata.managedFields));
  if (problem === undefined) return;
  if (before) metadata.managedFields = before;
  else delete metadata.managedFields;
  warn(`.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`);
}
