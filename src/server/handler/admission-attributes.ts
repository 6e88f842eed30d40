import type { Draft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { AdmissionAttributes, AdmissionOperation } from '../admission/plugin.js';
import type { Target } from './api-core.js';
import type { ApiRequest } from './api-request.js';

/** Everything about a write that does not change between its admission steps. */
export class AdmissionBase {
  constructor(
    private readonly request: ApiRequest,
    private readonly target: Target,
    private readonly name: string,
    private readonly dryRun: boolean,
    private readonly options: Readonly<Record<string, unknown>>,
  ) {}

  /** The attributes of one step. `object` is in the hub version. */
  attributes(operation: AdmissionOperation, object: Draft<KubeObject> | undefined, oldObject: KubeObject | undefined, kind?: AdmissionAttributes['kind']): AdmissionAttributes {
    const { request, target } = this;
    const { info } = request;
    const { facts } = target.resource;
    return {
      operation,
      kind: kind ?? target.resource.kind,
      resource: { group: facts.group, version: facts.version, resource: facts.resource },
      subresource: info.subresource,
      // A namespace is in itself, as far as admission is concerned.
      namespace: facts.resource === 'namespaces' && facts.group === '' ? this.name : info.namespace,
      // Validation knows the name that was generated.
      name: this.name === '' && operation === 'CREATE' ? (object?.metadata?.name ?? '') : this.name,
      object,
      oldObject,
      options: optionsOf(operation, this.options),
      dryRun: this.dryRun,
      user: request.user,
      signal: () => request.signal,
      warn: (text) => request.warn(text),
    };
  }
}

/** An update or a patch that creates is a create to admission, and a patch of what is there an update. */
function optionsOf(operation: AdmissionOperation, options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kind = operation === 'CREATE' ? 'CreateOptions' : operation === 'UPDATE' ? 'UpdateOptions' : options['kind'];
  if (options['kind'] === kind) return options;
  const { force: _force, ...others } = options;
  return { ...others, kind };
}
