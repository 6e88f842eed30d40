import { ageText } from '../helpers/duration.js';
import type { V1LabelSelector } from '../generated/types.js';
import type { KubeObject } from '../meta/object.js';
import { LabelSelector } from '../selectors/label-selector.js';
import type { TableColumn } from './kind.js';

/** The column that names the object; the first of nearly every table. */
export const NAME: TableColumn<KubeObject> = { name: 'Name', type: 'string', format: 'name', cell: (object) => object.metadata?.name ?? '' };

/** Time since creation, as `3d4h`. */
export const AGE: TableColumn<KubeObject> = { name: 'Age', type: 'string', cell: (object, now) => ageText(object.metadata?.creationTimestamp, now) };

/** A column of text (or of numbers that upstream declares as text). `priority` 1: only with `-o wide`. */
export function text<T>(name: string, cell: (object: T) => string | number, priority = 0): TableColumn<T> {
  return { name, type: 'string', cell, ...(priority > 0 ? { priority } : {}) };
}

/** A column of whole numbers. */
export function integer<T>(name: string, cell: (object: T) => number): TableColumn<T> {
  return { name, type: 'integer', cell };
}

/** A column of true and false. */
export function flag<T>(name: string, cell: (object: T) => boolean): TableColumn<T> {
  return { name, type: 'boolean', cell };
}

/** A selector as text; `<none>` when it is absent or empty. */
export function selectorText(selector: V1LabelSelector | undefined): string {
  try {
    return LabelSelector.fromObject(selector).toString() || '<none>';
  } catch {
    return '<error>';
  }
}
