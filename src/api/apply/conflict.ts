import { ENTRIES_PER_STEP, type Steps } from '../../base/steps.js';
import type { FieldTree } from './field-tree.js';
import { pathsOf } from './field-tree.js';
import type { ManagedEntry } from './managed-set.js';
import { elementText, type PathElement } from './path-element.js';

/** One field that another manager owns. */
export interface Conflict {
  readonly entry: ManagedEntry;
  readonly path: readonly PathElement[];
  /** The path as messages show it. */
  readonly field: string;
}

/** An apply without `force` would change what others own. The server answers it as a 409 with a cause per field. */
export class ApplyConflict extends Error {
  constructor(readonly conflicts: readonly Conflict[]) {
    super(message(conflicts));
    this.name = 'ApplyConflict';
  }

  /** `details.causes` of the answer. */
  get causes(): { readonly reason: string; readonly message: string; readonly field: string }[] {
    return this.conflicts.map(({ entry, field }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${managerText(entry)}`, field }));
  }
}

/** Conflicts with what one entry owns, in order. */
export function* conflictsWith(entry: ManagedEntry, fields: FieldTree): Steps<Conflict[]> {
  const conflicts: Conflict[] = [];
  for (const path of pathsOf(fields)) {
    conflicts.push({ entry, path, field: path.map(elementText).join('') });
    if (conflicts.length % ENTRIES_PER_STEP === 0) yield;
  }
  return conflicts;
}

function message(conflicts: readonly Conflict[]): string {
  if (conflicts.length === 1) {
    const { entry, field } = conflicts[0]!;
    return `Apply failed with 1 conflict: conflict with ${managerText(entry)}: ${field}`;
  }
  const lines: string[] = [];
  let last: ManagedEntry | undefined;
  for (const { entry, field } of conflicts) {
    if (entry !== last) lines.push(`conflicts with ${managerText(entry)}:`);
    lines.push(`- ${field}`);
    last = entry;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
