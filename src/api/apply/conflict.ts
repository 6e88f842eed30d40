import type { FieldTree } from './field-tree.js';
import { pathsOf } from './field-tree.js';
import type { ManagedEntry } from './managed-set.js';
import { elementText, type PathElement } from './path-element.js';

/** One field that another manager owns. */
export interface Conflict {
  readonly entry: ManagedEntry;
  readonly path: readonly PathElement[];
}

/** An apply without `force` would change what others own. The server answers it as a 409 with a cause per field. */
export class ApplyConflict extends Error {
  constructor(readonly conflicts: readonly Conflict[]) {
    super(message(conflicts));
    this.name = 'ApplyConflict';
  }

  /** `details.causes` of the answer. */
  get causes(): { readonly reason: string; readonly message: string; readonly field: string }[] {
    return this.conflicts.map(({ entry, path }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${managerText(entry)}`, field: pathText(path) }));
  }
}

/** Conflicts with what one entry owns, in order. */
export function conflictsWith(entry: ManagedEntry, fields: FieldTree): Conflict[] {
  return [...pathsOf(fields)].map((path) => ({ entry, path }));
}

function message(conflicts: readonly Conflict[]): string {
  if (conflicts.length === 1) {
    const { entry, path } = conflicts[0]!;
    return `Apply failed with 1 conflict: conflict with ${managerText(entry)}: ${pathText(path)}`;
  }
  const lines: string[] = [];
  let last: ManagedEntry | undefined;
  for (const { entry, path } of conflicts) {
    if (entry !== last) lines.push(`conflicts with ${managerText(entry)}:`);
    lines.push(`- ${pathText(path)}`);
    last = entry;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedEntry): string {
  const name = `${JSON.stringify(manager)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}
