import type { Draft } from '../../api/draft.js';
import type { V1Pod, V1PriorityClass } from '../../api/generated/types.js';
import { PRIORITY_CLASSES } from '../../api/resource-refs.js';
import type { ServerContext } from '../server-context.js';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.js';
import { concerns, refusal } from './refuse.js';

/** Works out the priority of pods from their class, and keeps a second default class out. */
export class PriorityAdmission implements AdmissionPlugin {
  readonly name = 'Priority';

  constructor(private readonly context: ServerContext) {}

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  admit(a: AdmissionAttributes): void {
    if (!concerns(a, '', 'pods')) return;
    const spec = ((a.object as Draft<V1Pod>).spec ??= { containers: [] });
    if (a.operation === 'UPDATE') {
      const before = (a.oldObject as V1Pod).spec;
      if (spec.priority === undefined && before?.priority !== undefined) spec.priority = before.priority;
      if (spec.preemptionPolicy === undefined && before?.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
      return;
    }
    const priorityClass = spec.priorityClassName ? this.byName(a, spec.priorityClassName) : this.defaultClass();
    const value = priorityClass?.value ?? 0;
    const policy = priorityClass ? priorityClass.preemptionPolicy : 'PreemptLowerPriority';
    if (priorityClass) spec.priorityClassName = priorityClass.metadata?.name ?? '';
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refusal(a, `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`);
    }
    spec.priority = value;
    if (policy === undefined) return;
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
      throw refusal(a, `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`);
    }
    spec.preemptionPolicy = policy;
  }

  validate(a: AdmissionAttributes): void {
    if (!concerns(a, 'scheduling.k8s.io', 'priorityclasses')) return;
    const object = a.object as V1PriorityClass;
    if (!object.globalDefault) return;
    const present = this.defaultClass();
    if (present && (a.operation === 'CREATE' || present.metadata?.name !== object.metadata?.name)) {
      throw refusal(a, `PriorityClass ${present.metadata?.name} is already marked as default. Only one default can exist`);
    }
  }

  private byName(a: AdmissionAttributes, name: string): V1PriorityClass {
    const found = this.context.view.get(PRIORITY_CLASSES, '', name);
    if (!found) throw refusal(a, `no PriorityClass with name ${name} was found`);
    return found;
  }

  /** Should there be several after a race, the lowest counts. */
  private defaultClass(): V1PriorityClass | undefined {
    let lowest: V1PriorityClass | undefined;
    for (const candidate of this.context.view.list(PRIORITY_CLASSES)) {
      if (candidate.globalDefault && (!lowest || (candidate.value ?? 0) < (lowest.value ?? 0))) lowest = candidate;
    }
    return lowest;
  }
}
