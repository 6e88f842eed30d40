import { atOnce, type Steps } from '../../base/steps.js';
import type { V1ManagedFieldsEntry } from '../generated/types.js';
import { isEmpty, LEAF, type FieldTree } from './field-tree.js';
import { parseTreeSteps } from './parse-tree.js';

/** What one manager owns, in one version. */
export interface ManagedEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339; absent when the manager has never changed a value. */
  readonly time: string | undefined;
  readonly fields: FieldTree;
  /** The entry that this was read from, while it is the same. */
  readonly source?: V1ManagedFieldsEntry;
}

/** The entries of an object by {@link managerId}. */
export type ManagedSet = Map<string, ManagedEntry>;

/** Who an entry belongs to. What an applier owns is one entry whatever version it applies with; others have one entry per version. */
export function managerId(manager: string, operation: string, apiVersion: string, subresource: string): string {
  return `${manager}\n${operation}\n${operation === 'Apply' ? '' : apiVersion}\n${subresource}`;
}

/** Reads the entries of a stored object. Undefined when one of them is malformed. */
export function readManaged(entries: readonly V1ManagedFieldsEntry[] | undefined): ManagedSet | undefined {
  return atOnce(readSteps(entries, true));
}

/** The same of entries that a client has sent, with pauses. */
export function readSentManaged(entries: readonly V1ManagedFieldsEntry[]): Steps<ManagedSet | undefined> {
  return readSteps(entries, false);
}

function* readSteps(entries: readonly V1ManagedFieldsEntry[] | undefined, trusted: boolean): Steps<ManagedSet | undefined> {
  const result: ManagedSet = new Map();
  for (const entry of entries ?? []) {
    const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsType } = entry;
    if ((operation !== 'Apply' && operation !== 'Update') || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
    const given = (entry.fieldsV1 ?? LEAF) as FieldTree;
    const fields = trusted ? given : yield* parseTreeSteps(given);
    if (fields === undefined) return undefined;
    const known = { manager, operation, apiVersion, subresource, time, fields } as const;
    result.set(managerId(manager, operation, apiVersion, subresource), trusted ? { ...known, source: entry } : known);
  }
  return result;
}

/** The entries as they stand in an object: appliers first, then by time. Undefined when there are none. */
export function writeManaged(managed: ManagedSet): V1ManagedFieldsEntry[] | undefined {
  if (managed.size === 0) return undefined;
  return [...managed.values()].sort(compareEntries).map((entry) => entry.source ?? written(entry));
}

/** The same entry with other fields. */
export function withFields(entry: ManagedEntry, fields: FieldTree): ManagedEntry {
  if (fields === entry.fields) return entry;
  const { manager, operation, apiVersion, subresource, time } = entry;
  return { manager, operation, apiVersion, subresource, time, fields };
}

/** Takes out the entries that own nothing. */
export function dropEmpty(managed: ManagedSet): void {
  for (const [id, entry] of managed) if (isEmpty(entry.fields)) managed.delete(id);
}

function written({ manager, operation, apiVersion, time, fields, subresource }: ManagedEntry): V1ManagedFieldsEntry {
  const entry: { -readonly [K in keyof V1ManagedFieldsEntry]: V1ManagedFieldsEntry[K] } = { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: fields as object };
  if (manager === '') delete entry.manager;
  if (time === undefined) delete entry.time;
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

/** Seconds-exact RFC 3339 in UTC: their texts are ordered as the times are. */
function compareEntries(a: ManagedEntry, b: ManagedEntry): number {
  return (
    order(a.operation, b.operation) || order(a.time ?? '', b.time ?? '') || order(a.manager, b.manager) || order(a.apiVersion, b.apiVersion) || order(a.subresource, b.subresource)
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
