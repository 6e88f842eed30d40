import type { Draft } from '../../api/draft.js';
import type { V1Pod, V1Toleration } from '../../api/generated/types.js';
import { podQosClass } from '../../api/helpers/pod-qos.js';
import { NAMESPACES } from '../../api/resource-refs.js';
import { notFoundError, plainError } from '../../api/status-error.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns } from './refuse.js';
import { parseTolerations } from './toleration-annotation.js';
import { includesToleration, mergeTolerations } from './toleration-merge.js';

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE: V1Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

/** New pods get the tolerations of their namespace, or of the cluster, and may have those that are listed only. Annotations of the namespace go before the configuration. */
export class PodTolerationRestriction implements AdmissionPlugin {
  readonly name = 'PodTolerationRestriction';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const pod = a.object as Draft<V1Pod>;
    const added = a.operation === 'CREATE' ? [...(this.annotated(a.namespace, DEFAULTS) ?? this.context.options.admissionConfiguration?.podTolerationRestriction?.default ?? [])] : [];
    if (podQosClass(pod) !== 'BestEffort') added.push(MEMORY_PRESSURE);
    if (added.length > 0) {
      const spec = (pod.spec ??= { containers: [] });
      spec.tolerations = mergeTolerations(spec.tolerations ?? [], added).map((toleration) => ({ ...toleration }));
    }
    this.validate(a);
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const tolerations = (a.object as V1Pod).spec?.tolerations ?? [];
    if (tolerations.length === 0) return;
    const own = this.annotated(a.namespace, WHITELIST);
    const allowed = own ?? this.context.options.admissionConfiguration?.podTolerationRestriction?.whitelist ?? [];
    if (allowed.length === 0 || tolerations.every((toleration) => allowed.some((wide) => includesToleration(wide, toleration)))) return;
    throw plainError(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? 'namespace' : 'cluster'} whitelist`);
  }

  /** Undefined: the namespace does not say. */
  private annotated(name: string, annotation: string): readonly V1Toleration[] | undefined {
    const namespace = this.context.view.get(NAMESPACES, '', name);
    if (!namespace) throw notFoundError(NAMESPACES, name);
    const text = namespace.metadata?.annotations?.[annotation];
    if (text === undefined) return undefined;
    const parsed = text === '' ? [] : parseTolerations(text);
    if (typeof parsed === 'string') throw plainError(parsed);
    return parsed;
  }
}
