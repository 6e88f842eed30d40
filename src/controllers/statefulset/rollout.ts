import type { V1Pod, V1StatefulSet } from '../../api/generated/types.js';
import { isPodAvailable, isPodTerminal } from '../../api/helpers/pod-state.js';
import { scaledValue } from '../shared/int-or-percent.js';
import { slowStart } from '../shared/slow-start.js';
import { identityMatches, isCreated, isInRange, newPod, ordinalOf, podRevision, startOrdinal, storageMatches } from './identity.js';
import type { MemberControl } from './member-control.js';
import { countPods, isRunningAndReady, type SetCounts, type SetRevisions } from './status.js';

/** A set as it is at its current and at its update revision. */
export interface SetVersions {
  readonly current: V1StatefulSet;
  readonly update: V1StatefulSet;
}

/**
 * One reconcile of a set's pods. Ordered sets take one step at a time, from the lowest ordinal up (and down from the highest when they shrink), and wait for
 * each member to be available; parallel ones take all steps at once.
 */
export class SetRollout {
  private readonly replicas: V1Pod[];
  private readonly condemned: V1Pod[];
  private readonly minReadySeconds: number;
  private readonly ordered: boolean;
  private firstUnavailable: V1Pod | undefined;
  private deletedForUpdate = 0;

  constructor(
    private readonly set: V1StatefulSet,
    versions: SetVersions,
    private readonly revisions: SetRevisions,
    private readonly control: MemberControl,
    private readonly pods: readonly V1Pod[],
    private readonly now: number,
  ) {
    this.minReadySeconds = set.spec?.minReadySeconds ?? 0;
    this.ordered = set.spec?.podManagementPolicy !== 'Parallel';
    this.replicas = this.wantedPods(versions);
    this.condemned = pods.filter((pod) => !isInRange(pod, set) && ordinalOf(pod) >= 0).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  }

  /** Takes the next steps. */
  async run(): Promise<void> {
    this.firstUnavailable = this.replicas.find((pod) => this.isUnavailable(pod)) ?? [...this.condemned].reverse().find((pod) => this.isUnavailable(pod));
    if (await this.forAll(this.replicas, (i) => this.keep(i))) return;
    await this.forAll(this.condemned, async (i) => {
      await this.control.fixClaimOwners(this.condemned[i]!);
      return false;
    });
    if (await this.forAll(this.condemned, (i) => this.condemn(this.condemned[i]!))) return;
    if (this.set.spec?.updateStrategy?.type !== 'OnDelete') await this.update();
  }

  /** Counts after the steps that were taken. */
  counts(): SetCounts {
    const all = this.set.metadata?.deletionTimestamp ? this.pods : [...this.replicas, ...this.condemned];
    const counts = countPods(all, this.set, this.revisions, this.now);
    return { ...counts, current: Math.max(0, counts.current - this.deletedForUpdate) };
  }

  /** One pod per ordinal: those that exist, and for the others what has to be created, at the revision that the strategy gives them. */
  private wantedPods({ current, update }: SetVersions): V1Pod[] {
    const start = startOrdinal(this.set);
    const present = new Map(this.pods.map((pod) => [ordinalOf(pod), pod]));
    return Array.from({ length: this.set.spec?.replicas ?? 0 }, (_, i) => {
      const ordinal = start + i;
      return present.get(ordinal) ?? (this.isOldOrdinal(i) ? newPod(current, ordinal, this.revisions.current) : newPod(update, ordinal, this.revisions.update));
    });
  }

  /** Below the partition (or, without one, below what is left to update) pods come back at the current revision. */
  private isOldOrdinal(index: number): boolean {
    const strategy = this.set.spec?.updateStrategy;
    if (strategy?.rollingUpdate) return index < (strategy.rollingUpdate.partition ?? 0);
    return strategy?.type === 'RollingUpdate' && index < (this.set.status?.currentReplicas ?? 0);
  }

  /** Runs steps for all pods: in order until one says stop, or all at once. True when the reconcile ends here. */
  private async forAll(pods: readonly V1Pod[], step: (index: number) => Promise<boolean>): Promise<boolean> {
    if (this.ordered) {
      for (let i = 0; i < pods.length; i++) if (await step(i)) return true;
      return false;
    }
    const { error } = await slowStart(pods.length, async (i) => {
      await step(i);
    });
    if (error !== undefined) throw error;
    return false;
  }

  /** True when an ordered set has to wait for this member. */
  private async keep(index: number): Promise<boolean> {
    const pod = this.replicas[index]!;
    if (isPodTerminal(pod)) {
      // It is made anew once it is gone.
      if (!pod.metadata?.deletionTimestamp) await this.control.delete(pod);
      return true;
    }
    if (!isCreated(pod)) {
      if (this.control.hasStaleClaim(pod)) return true;
      this.replicas[index] = await this.control.create(pod);
      return true;
    }
    if (pod.status?.phase === 'Pending') await this.control.restoreClaims(pod);
    if (this.ordered && (pod.metadata?.deletionTimestamp || !isRunningAndReady(pod) || !this.isAvailable(pod))) return true;
    if (!identityMatches(this.set, pod) || !storageMatches(this.set, pod) || !this.control.claimOwnersMatch(pod)) await this.control.mend(pod);
    return false;
  }

  /** True when an ordered set has to wait before it gives up the next member. */
  private async condemn(pod: V1Pod): Promise<boolean> {
    if (pod.metadata?.deletionTimestamp) return this.ordered;
    // The member that is broken may go although it is not ready.
    if (this.ordered && pod !== this.firstUnavailable && !(isRunningAndReady(pod) && this.isAvailable(pod))) return true;
    await this.control.delete(pod);
    return true;
  }

  /** Deletes pods of other revisions than the newest, from the highest ordinal down to the partition, while no more than `maxUnavailable` are missing. */
  private async update(): Promise<void> {
    const rolling = this.set.spec?.updateStrategy?.rollingUpdate;
    const replicas = this.set.spec?.replicas ?? 0;
    const maxUnavailable = Math.max(1, rolling?.maxUnavailable === undefined ? 1 : scaledValue(rolling.maxUnavailable, replicas, false));
    let allowed = maxUnavailable - this.replicas.filter((pod) => this.isUnavailable(pod)).length;
    for (let i = this.replicas.length - 1; i >= (rolling?.partition ?? 0) && allowed > 0; i--) {
      const pod = this.replicas[i]!;
      if (podRevision(pod) === this.revisions.update || pod.metadata?.deletionTimestamp) continue;
      await this.control.delete(pod);
      if (podRevision(pod) === this.revisions.current) this.deletedForUpdate += 1;
      allowed -= 1;
    }
  }

  private isAvailable(pod: V1Pod): boolean {
    return isPodAvailable(pod, this.minReadySeconds, this.now);
  }

  private isUnavailable(pod: V1Pod): boolean {
    return !this.isAvailable(pod) || pod.metadata?.deletionTimestamp !== undefined;
  }
}
