import type { KubeObject } from '../../../api/meta/object.js';
import { NAMESPACES } from '../../../api/resource-refs.js';
import { LabelSelector } from '../../../api/selectors/label-selector.js';
import { internalError, notFoundError } from '../../../api/status-error.js';
import type { ClusterView } from '../../registry/cluster-view.js';
import type { AdmissionAttributes } from '../plugin.js';
import type { Hook, ParsedSelector } from './hook.js';

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether both selectors of a webhook take the request. `object`: the wanted object as it is by now. Throws a 404 when the namespace does not exist. */
export function selectorsMatch(view: ClusterView, hook: Hook, a: AdmissionAttributes, object: KubeObject | undefined): boolean {
  return namespaceMatches(view, valid(hook.namespaceSelector), a, object) && objectMatches(valid(hook.objectSelector), a, object);
}

function valid(selector: ParsedSelector): LabelSelector {
  if (selector instanceof LabelSelector) return selector;
  throw internalError(selector.invalid);
}

/** Cluster-scoped objects other than namespaces are never exempt. */
function namespaceMatches(view: ClusterView, selector: LabelSelector, a: AdmissionAttributes, object: KubeObject | undefined): boolean {
  if (selector.isEverything || (a.namespace === '' && a.resource.resource !== 'namespaces')) return true;
  return selector.matches(namespaceLabels(view, a, object) ?? {});
}

function namespaceLabels(view: ClusterView, a: AdmissionAttributes, object: KubeObject | undefined): Labels {
  // What is being written of a namespace counts, not what it was.
  if (a.resource.resource === 'namespaces' && a.subresource === '' && (a.operation === 'CREATE' || a.operation === 'UPDATE')) return object?.metadata?.labels;
  const namespace = view.get(NAMESPACES, '', a.namespace);
  if (!namespace) throw notFoundError(NAMESPACES, a.namespace);
  return namespace.metadata?.labels;
}

/** Either state of the object will do. Options of a CONNECT have no labels. */
function objectMatches(selector: LabelSelector, a: AdmissionAttributes, object: KubeObject | undefined): boolean {
  if (selector.isEverything) return true;
  if (a.operation === 'CONNECT') return false;
  return [object, a.oldObject].some((state) => state !== undefined && selector.matches(state.metadata?.labels ?? {}));
}
