import type { V1LabelSelector } from '../../api/generated/types.js';
import { requirementMatches, requirementText, type LabelRequirement, type Labels } from '../../api/selectors/label-requirement.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';

/** A selector that several sources can add requirements to, with a text that names it in tables. Immutable. */
export class PodSelector {
  private text: string | undefined;

  private constructor(
    private readonly requirements: readonly LabelRequirement[],
    private readonly nothing: boolean,
  ) {}

  static readonly everything = new PodSelector([], false);
  static readonly nothing = new PodSelector([], true);

  /** Absent matches nothing, empty matches everything. Throws `KUBE_INVALID_LABEL_SELECTOR` for what validation would refuse. */
  static fromObject(selector: V1LabelSelector | undefined): PodSelector {
    if (selector === undefined) return PodSelector.nothing;
    return PodSelector.make(LabelSelector.fromObject(selector).requirements);
  }

  /** Every label of the map must have the given value. */
  static fromMap(labels: Labels): PodSelector {
    return PodSelector.make(LabelSelector.fromMap(labels).requirements);
  }

  private static make(requirements: readonly LabelRequirement[]): PodSelector {
    return requirements.length === 0 ? PodSelector.everything : new PodSelector(requirements, false);
  }

  /** True when there is no requirement: everything matches. */
  get empty(): boolean {
    return !this.nothing && this.requirements.length === 0;
  }

  /** Both this and `other` must match. */
  and(other: PodSelector): PodSelector {
    if (this.nothing || other.nothing) return PodSelector.nothing;
    return PodSelector.make([...this.requirements, ...other.requirements]);
  }

  /** Adds requirements; a selector that matches nothing stays so. */
  with(requirements: readonly LabelRequirement[]): PodSelector {
    return this.nothing || requirements.length === 0 ? this : PodSelector.make([...this.requirements, ...requirements]);
  }

  matches(labels: Labels): boolean {
    if (this.nothing) return false;
    for (const requirement of this.requirements) if (!requirementMatches(requirement, labels)) return false;
    return true;
  }

  /** Equal selectors have equal keys. */
  get key(): string {
    return (this.text ??= this.nothing ? '!' : this.requirements.map(requirementText).join(','));
  }
}
