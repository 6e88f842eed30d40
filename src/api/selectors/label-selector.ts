import type { V1LabelSelector } from '../generated/types.js';
import { quote } from '../meta/field-error.js';
import { fieldErrorsText, parseLabelRequirements, selectorError } from './label-parser.js';
import { requirementErrors, requirementMatches, requirementText, type LabelOperator, type LabelRequirement, type Labels } from './label-requirement.js';

const OBJECT_OPERATORS: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** A predicate over labels: a conjunction of requirements, or the selector that matches nothing. Immutable. */
export class LabelSelector {
  private constructor(
    /** Sorted by key. */
    readonly requirements: readonly LabelRequirement[],
    /** Matches no object at all. */
    readonly isNothing: boolean,
  ) {}

  static readonly everything = new LabelSelector([], false);
  static readonly nothing = new LabelSelector([], true);

  /** Parses the text form (`a=b,c in (d,e),!f`); empty text matches everything. Throws `KUBE_INVALID_LABEL_SELECTOR` with upstream's message. */
  static parse(text: string): LabelSelector {
    return LabelSelector.make(parseLabelRequirements(text));
  }

  /**
   * From the API object: absent matches nothing, an empty one matches everything.
   * Throws `KUBE_INVALID_LABEL_SELECTOR` for what validation would refuse.
   */
  static fromObject(selector: V1LabelSelector | undefined | null): LabelSelector {
    if (selector === undefined || selector === null) return LabelSelector.nothing;
    const requirements: LabelRequirement[] = [];
    for (const [key, value] of Object.entries(selector.matchLabels ?? {})) requirements.push({ key, operator: '=', values: [value] });
    for (const { key, operator, values } of selector.matchExpressions ?? []) {
      const known = Object.hasOwn(OBJECT_OPERATORS, operator) ? OBJECT_OPERATORS[operator] : undefined;
      if (known === undefined) throw selectorError(`${quote(operator)} is not a valid label selector operator`);
      requirements.push({ key, operator: known, values: values ?? [] });
    }
    for (const requirement of requirements) {
      const errors = requirementErrors(requirement);
      if (errors.length > 0) throw selectorError(fieldErrorsText(errors));
    }
    return LabelSelector.make(requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  }

  /** From a map of wanted values (`spec.selector` of Services); absent and empty match everything. Nothing is validated. */
  static fromMap(labels: Labels): LabelSelector {
    const requirements = Object.entries(labels ?? {}).map(([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }));
    return LabelSelector.make(requirements.sort((a, b) => (a.key < b.key ? -1 : 1)));
  }

  private static make(requirements: readonly LabelRequirement[]): LabelSelector {
    return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements, false);
  }

  /** Matches every object. */
  get isEverything(): boolean {
    return !this.isNothing && this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    if (this.isNothing) return false;
    for (const requirement of this.requirements) if (!requirementMatches(requirement, labels)) return false;
    return true;
  }

  /** The value that the label `key` must have, when the first requirement on it allows only one. */
  requiredValue(key: string): string | undefined {
    const requirement = this.requirements.find((candidate) => candidate.key === key);
    if (requirement === undefined || requirement.values.length !== 1) return undefined;
    return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined;
  }

  /** The text form; empty for everything and for nothing. */
  toString(): string {
    return this.requirements.map(requirementText).join(',');
  }
}
