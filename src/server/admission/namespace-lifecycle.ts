import { NAMESPACES } from '../../api/resource-refs.js';
import { forbiddenError, notFoundError, StatusError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { refusal } from './refuse.js';

const IMMORTAL = ['default', 'kube-system', 'kube-public'];

/** Nothing is created in namespaces that do not exist or are being terminated; some namespaces cannot be deleted. */
export class NamespaceLifecycle implements AdmissionPlugin {
  readonly name = 'NamespaceLifecycle';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation !== 'CONNECT';
  }

  admit(a: AdmissionAttributes): void | Promise<void> {
    const isNamespace = a.kind.kind === 'Namespace' && a.kind.group === '';
    if (a.operation === 'DELETE') {
      if (isNamespace && IMMORTAL.includes(a.name)) throw forbiddenError(NAMESPACES, a.name, 'this namespace may not be deleted');
      return;
    }
    if (isNamespace || a.namespace === '') return;
    // Saying that the namespace does not exist would tell those who may ask for reviews which ones do.
    if (a.resource.group === 'authorization.k8s.io' && a.resource.resource === 'localsubjectaccessreviews') return;
    if (this.check(a)) return;
    if (a.operation === 'CREATE' && this.context.store.capabilities.shared) return this.checkAgain(a);
    throw notFoundError(NAMESPACES, a.namespace);
  }

  /** With a shared store another server may have made the namespace just now. */
  private async checkAgain(a: AdmissionAttributes): Promise<void> {
    await this.context.core().cacher.fresh();
    if (!this.check(a)) throw notFoundError(NAMESPACES, a.namespace);
  }

  /** False: there is no such namespace. */
  private check(a: AdmissionAttributes): boolean {
    const namespace = this.context.view.get(NAMESPACES, '', a.namespace);
    if (!namespace) return false;
    if (a.operation === 'CREATE' && namespace.status?.phase === 'Terminating') throw terminating(a);
    return true;
  }
}

function terminating(a: AdmissionAttributes): StatusError {
  const { status } = refusal(a, `unable to create new content in namespace ${a.namespace} because it is being terminated`);
  const cause = { reason: 'NamespaceTerminating', message: `namespace ${a.namespace} is being terminated`, field: 'metadata.namespace' };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
