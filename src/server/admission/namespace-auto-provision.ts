import { NAMESPACES } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { inNamespace, refusal } from './refuse.js';

/** Makes the namespace of a new object when it is not there. */
export class NamespaceAutoProvision implements AdmissionPlugin {
  readonly name = 'NamespaceAutoProvision';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void | Promise<void> {
    if (a.dryRun || !inNamespace(a) || this.context.view.get(NAMESPACES, '', a.namespace)) return;
    return this.provision(a);
  }

  private async provision(a: AdmissionAttributes): Promise<void> {
    try {
      await this.context.loopback.resource(NAMESPACES).create({ metadata: { name: a.namespace } });
    } catch (error) {
      if (StatusError.is(error, 'AlreadyExists')) return;
      throw StatusError.is(error, 'Forbidden') ? error : refusal(a, errorMessage(error));
    }
  }
}
