import { NAMESPACES } from '../../api/resource-refs.js';
import { notFoundError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { inNamespace } from './refuse.js';

/** Nothing is written in namespaces that do not exist. */
export class NamespaceExists implements AdmissionPlugin {
  readonly name = 'NamespaceExists';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation !== 'CONNECT';
  }

  validate(a: AdmissionAttributes): void {
    if (inNamespace(a) && !this.context.view.get(NAMESPACES, '', a.namespace)) throw notFoundError(NAMESPACES, a.namespace);
  }
}
