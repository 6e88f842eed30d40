import type { Draft } from '../../api/draft.js';
import type { V1Pod } from '../../api/generated/types.js';
import { NAMESPACES } from '../../api/resource-refs.js';
import { forbiddenError, notFoundError, plainError, type StatusError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import { CLUSTER_DEFAULT_SELECTOR, parseNodeSelector, type NodeLabels } from './config/node-selector.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';

/** Pods get the node selector of their namespace: from its annotation, or the default one of the configuration; and no labels beside those the configuration lists for it. */
export class PodNodeSelector implements AdmissionPlugin {
  readonly name = 'PodNodeSelector';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const spec = ((a.object as Draft<V1Pod>).spec ??= { containers: [] });
    const selector = this.selectorOf(a.namespace);
    requireNoConflict(a, selector);
    const merged = { ...selector, ...spec.nodeSelector };
    if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
    this.requireListed(a);
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    requireNoConflict(a, this.selectorOf(a.namespace));
    this.requireListed(a);
  }

  private get configured(): Readonly<Record<string, string>> {
    return this.context.options.admissionConfiguration?.podNodeSelector ?? {};
  }

  private selectorOf(name: string): NodeLabels {
    const namespace = this.context.view.get(NAMESPACES, '', name);
    if (!namespace) throw notFoundError(NAMESPACES, name);
    return labelsOf(namespace.metadata?.annotations?.[ANNOTATION] ?? this.configured[CLUSTER_DEFAULT_SELECTOR] ?? '');
  }

  /** What the configuration says of the namespace is what its pods may ask for at most. */
  private requireListed(a: AdmissionAttributes): void {
    const allowed = labelsOf(this.configured[a.namespace] ?? '');
    if (Object.keys(allowed).length === 0) return;
    const wanted = Object.entries((a.object as V1Pod).spec?.nodeSelector ?? {});
    if (wanted.some(([key, value]) => allowed[key] !== value)) throw refusalOf(a, 'pod node label selector labels conflict with its namespace whitelist');
  }
}

function labelsOf(text: string): NodeLabels {
  const parsed = parseNodeSelector(text);
  if (typeof parsed === 'string') throw plainError(parsed);
  return parsed;
}

function requireNoConflict(a: AdmissionAttributes, selector: NodeLabels): void {
  const own = (a.object as V1Pod).spec?.nodeSelector ?? {};
  if (Object.entries(selector).some(([key, value]) => own[key] !== undefined && own[key] !== value)) {
    throw refusalOf(a, 'pod node label selector conflicts with its namespace node label selector');
  }
}

/** Here upstream takes the name of the object alone. */
const refusalOf = (a: AdmissionAttributes, why: string): StatusError => forbiddenError(a.resource, a.object?.metadata?.name ?? '', why);
