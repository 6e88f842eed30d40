import type { Draft } from '../../api/draft.js';
import type { V1Pod, V1RuntimeClass } from '../../api/generated/types.js';
import { Quantity } from '../../api/quantity.js';
import { RUNTIME_CLASSES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';
import { mergeTolerations } from './toleration-merge.js';

/** Overhead, node selector and tolerations that come with a pod's runtime class. */
export class RuntimeClassAdmission implements AdmissionPlugin {
  readonly name = 'RuntimeClass';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const runtimeClass = this.classOf(a);
    const spec = (a.object as Draft<V1Pod>).spec!;
    const overhead = runtimeClass?.overhead?.podFixed;
    if (overhead) {
      if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(overhead, spec.overhead)) throw refusal(a, MISMATCH);
      spec.overhead = { ...overhead };
    }
    const scheduling = runtimeClass?.scheduling;
    if (!scheduling) return;
    for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
      const own = spec.nodeSelector?.[key];
      if (own !== undefined && own !== value) {
        throw refusal(a, `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`);
      }
      spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
    }
    const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
    if (tolerations.length > 0) spec.tolerations = tolerations.map((toleration) => ({ ...toleration }));
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const overhead = this.classOf(a)?.overhead;
    const own = (a.object as V1Pod).spec?.overhead;
    if (overhead ? !sameAmounts(overhead.podFixed, own) : own !== undefined) {
      throw refusal(a, overhead ? MISMATCH : 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }
  }

  private classOf(a: AdmissionAttributes): V1RuntimeClass | undefined {
    const name = (a.object as V1Pod).spec?.runtimeClassName;
    if (name === undefined) return undefined;
    const found = this.context.view.get(RUNTIME_CLASSES, '', name);
    if (!found) throw refusal(a, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found;
  }
}

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

type AmountsByName = Readonly<Record<string, string>> | undefined;

function sameAmounts(a: AmountsByName, b: AmountsByName): boolean {
  const names = Object.keys(a ?? {});
  return names.length === Object.keys(b ?? {}).length && names.every((name) => b?.[name] !== undefined && Quantity.parse(a![name]!).equals(Quantity.parse(b[name])));
}
