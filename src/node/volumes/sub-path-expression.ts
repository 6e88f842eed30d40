import type { V1VolumeMount } from '../../api/generated/types.js';
import { ConfigError } from '../references/environment.js';
import { expandVariables } from '../references/expand.js';

/** The `subPath` of a mount, its `subPathExpr` expanded; empty: the whole volume. Throws a {@link ConfigError} for a variable without value and a path that leads out. */
export function subPathOf({ subPath = '', subPathExpr = '' }: V1VolumeMount, environment: ReadonlyMap<string, string>): string {
  const path = subPathExpr === '' ? subPath : expand(subPathExpr, environment);
  if (path.startsWith('/')) throw new ConfigError(`error SubPath \`${path}\` must not be an absolute path`);
  if (path.split('/').includes('..')) throw new ConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  return path;
}

function expand(expression: string, environment: ReadonlyMap<string, string>): string {
  const missing = new Set<string>();
  for (const [, name] of expression.replaceAll('$$', '').matchAll(/\$\(([^)]*)\)/g)) if (!environment.get(name!)) missing.add(name!);
  if (missing.size > 0) throw new ConfigError(`missing value for ${[...missing].sort().join(', ')}`);
  return expandVariables(expression, environment);
}
