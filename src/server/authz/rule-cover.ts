import type { V1PolicyRule } from '../../api/generated/types.js';
import { pathMatches } from './rbac-rules.js';

const has = (values: readonly string[] | undefined, wanted: string): boolean => values !== undefined && values.includes(wanted);
const hasOrAll = (values: readonly string[] | undefined, wanted: string): boolean => has(values, '*') || has(values, wanted);

/** A rule broken down to one group, resource, verb and name, or one path and verb. */
interface Atom {
  readonly group?: string;
  readonly resource?: string;
  readonly resourceName?: string;
  readonly path?: string;
  readonly verb: string;
}

function atomsOf(rule: V1PolicyRule): Atom[] {
  const atoms: Atom[] = [];
  const names: readonly (string | undefined)[] = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        for (const name of names) atoms.push({ group, resource, verb, ...(name === undefined ? {} : { resourceName: name }) });
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? []) for (const verb of rule.verbs) atoms.push({ path, verb });
  return atoms;
}

function covers(owner: V1PolicyRule, atom: Atom): boolean {
  if (!hasOrAll(owner.verbs, atom.verb)) return false;
  if (atom.path !== undefined) return pathMatches(owner.nonResourceURLs, atom.path);
  const slash = atom.resource!.indexOf('/');
  return (
    hasOrAll(owner.apiGroups, atom.group!) &&
    (hasOrAll(owner.resources, atom.resource!) || (slash >= 0 && has(owner.resources, `*/${atom.resource!.slice(slash + 1)}`))) &&
    (!owner.resourceNames?.length || (atom.resourceName !== undefined && has(owner.resourceNames, atom.resourceName)))
  );
}

/** The parts of `wanted` that `owned` does not allow, in upstream's words: sorted, verbs of one resource joined. Empty: everything is covered. */
export function uncoveredRules(owned: readonly V1PolicyRule[], wanted: readonly V1PolicyRule[]): string[] {
  const missing = wanted.flatMap(atomsOf).filter((atom) => !owned.some((rule) => covers(rule, atom)));
  const verbsByRest = new Map<string, { readonly atom: Atom; readonly verbs: string[] }>();
  for (const atom of missing) {
    const key = JSON.stringify([atom.group, atom.resource, atom.resourceName, atom.path === undefined ? '' : `${atom.path} ${atom.verb}`]);
    const entry = verbsByRest.get(key) ?? { atom, verbs: [] };
    if (!entry.verbs.includes(atom.verb)) entry.verbs.push(atom.verb);
    verbsByRest.set(key, entry);
  }
  return [...new Set([...verbsByRest.values()].map(({ atom, verbs }) => text(atom, verbs)))].sort();
}

function text(atom: Atom, verbs: readonly string[]): string {
  const parts = [
    ...(atom.group === undefined ? [] : [`APIGroups:${list([atom.group])}`]),
    ...(atom.resource === undefined ? [] : [`Resources:${list([atom.resource])}`]),
    ...(atom.path === undefined ? [] : [`NonResourceURLs:${list([atom.path])}`]),
    ...(atom.resourceName === undefined ? [] : [`ResourceNames:${list([atom.resourceName])}`]),
    `Verbs:${list(verbs)}`,
  ];
  return `{${parts.join(', ')}}`;
}

function list(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
