import type { KubeObject } from '../../api/meta/object.js';
import { FieldSelector } from '../../api/selectors/field-selector.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import type { CacheEntry } from './cache-entry.js';

/** Value of a selectable field; empty when absent. */
export type FieldReader = (object: KubeObject, field: string) => string;

/** Which objects of a resource a list or watch is about. */
export class Selection {
  /** The one object's key when the selection names it, else undefined. */
  readonly key: string | undefined;
  private readonly fields: FieldSelector;
  private readonly impossible: boolean;

  constructor(
    /** Empty: all namespaces. */
    readonly namespace: string,
    readonly labels: LabelSelector,
    fieldSelector: FieldSelector,
    private readonly readField: FieldReader,
    private readonly namespaced: boolean,
  ) {
    this.fields = fieldSelector;
    const name = fieldSelector.requiredValue('metadata.name');
    const inNamespace = fieldSelector.requiredValue('metadata.namespace');
    this.impossible = inNamespace !== undefined && namespace !== '' && inNamespace !== namespace;
    const where = namespace !== '' ? namespace : (inNamespace ?? '');
    this.key = name === undefined || (namespaced && where === '') ? undefined : namespaced ? `${where}/${name}` : name;
  }

  /** The namespace and the name alone, which are the same in all versions of an object. */
  get place(): Selection {
    const fields = this.fields.requirements.filter(({ field }) => field === 'metadata.name' || field === 'metadata.namespace');
    return new Selection(this.namespace, LabelSelector.everything, FieldSelector.of(fields), this.readField, this.namespaced);
  }

  /** Text that is the same for selections that select the same. */
  get id(): string {
    return `${this.namespace}|${this.labels.isNothing ? '!' : this.labels.toString()}|${this.fields.toString()}`;
  }

  /** Every object of the namespace is selected. */
  get isEverything(): boolean {
    return this.labels.isEverything && this.fields.isEverything;
  }

  /** The value that a field must have. */
  requiredField(field: string): string | undefined {
    return this.fields.requiredValue(field);
  }

  /** Whether an object that is in the namespace is selected. */
  matches(entry: CacheEntry): boolean {
    if (this.impossible) return false;
    if (this.key !== undefined && entry.key !== this.key) return false;
    if (this.isEverything) return true;
    const object = entry.object;
    if (!this.labels.isEverything && !this.labels.matches(object.metadata?.labels)) return false;
    return this.fields.isEverything || this.fields.matches((field) => this.readField(object, field));
  }

  /** Whether an object is selected, its namespace included. */
  includes(entry: CacheEntry): boolean {
    if (this.namespace !== '' && this.namespaced && !entry.key.startsWith(`${this.namespace}/`)) return false;
    return this.matches(entry);
  }
}
