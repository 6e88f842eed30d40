import type { AbacPolicy } from '../../server/index.js';
import { KubeError, errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';

const API_VERSION = 'abac.authorization.kubernetes.io/v1beta1';
const AUTHENTICATED = 'system:authenticated';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a policy file: one JSON object per line, empty lines and those with `#` in front skipped. Objects are of
 * `abac.authorization.kubernetes.io/v1beta1`, or of the older form without a version. Throws `KUBE_ABAC_FILE` with file, line and rule.
 */
export function readAbacFile(file: string, text: string, log: Logger): readonly AbacPolicy[] {
  const policies: AbacPolicy[] = [];
  let unversioned = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const fail = (why: string): never => {
      throw new KubeError('KUBE_ABAC_FILE', `${file}, line ${index + 1}: ${why}`);
    };
    const object = parse(trimmed, fail);
    const { apiVersion, kind } = object;
    if (apiVersion === undefined || kind === undefined) {
      unversioned++;
      policies.push(unversionedPolicy(object, fail));
    } else if (apiVersion !== API_VERSION || kind !== 'Policy') fail(`apiVersion and kind must be ${API_VERSION} and Policy, or both be absent`);
    else policies.push(versionedPolicy(object, fail));
  }
  if (unversioned > 0) log.warn('the policy file has rules without a version', { file, rules: unversioned });
  return policies;
}

type Fail = (why: string) => never;

function parse(line: string, fail: Fail): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return fail(`not a JSON object: ${errorMessage(error)}`);
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : fail('not a JSON object');
}

function text(fields: Fields, name: string, fail: Fail): string {
  const value = fields[name] ?? '';
  return typeof value === 'string' ? value : fail(`${name} must be a string`);
}

function flag(fields: Fields, name: string, fail: Fail): boolean {
  const value = fields[name] ?? false;
  return typeof value === 'boolean' ? value : fail(`${name} must be true or false`);
}

function versionedPolicy(object: Fields, fail: Fail): AbacPolicy {
  const { spec = {} } = object;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return fail('spec must be an object');
  const fields = spec as Fields;
  const field = (name: string): string => text(fields, name, fail);
  return {
    ...forEverybody({ user: field('user'), group: field('group') }),
    readonly: flag(fields, 'readonly', fail), apiGroup: field('apiGroup'), resource: field('resource'), namespace: field('namespace'), nonResourcePath: field('nonResourcePath'),
  };
}

/** `*` has always meant who is authenticated. */
function forEverybody(subject: { readonly user: string; readonly group: string }): { user: string; group: string } {
  return subject.user === '*' || subject.group === '*' ? { user: '', group: AUTHENTICATED } : subject;
}

/** In the older form what is absent stands for everything. */
function unversionedPolicy(fields: Fields, fail: Fail): AbacPolicy {
  const field = (name: string): string => text(fields, name, fail);
  const [user, group, namespace, resource] = [field('user'), field('group'), field('namespace'), field('resource')];
  return {
    ...forEverybody(user === '' && group === '' ? { user, group: AUTHENTICATED } : { user, group }),
    readonly: flag(fields, 'readonly', fail), apiGroup: '*', resource: resource || '*', namespace: namespace || '*',
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  };
}
