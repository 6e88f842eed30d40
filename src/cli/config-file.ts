import { CORE_SCHEMA, load } from 'js-yaml';
import { errorMessage, fileFailure } from '../base/errors.js';
import { readSettingsFile } from '../base/settings-file.js';
import { SECTIONS } from './commands/index.js';
import type { FlagName, FlagValues } from './flags.js';
import { checkValue, UsageError } from './parse.js';

const ROLES = ['server', 'scheduler', 'controllers', 'node'] as const;
export type Role = (typeof ROLES)[number];

/** A configuration file after checking: common values, and those of one role. */
export interface ConfigFile {
  readonly common: FlagValues;
  readonly sections: Readonly<Partial<Record<Role, FlagValues>>>;
}

/**
 * Reads a configuration file: flag names (as typed, or in camel case) with their values, and optional sections by role. A section
 * may stand there for roles that the command does not run, so that all roles can share a file. All mistakes are reported together, as one {@link UsageError}.
 */
export async function readConfigFile(path: string, allowed: readonly FlagName[]): Promise<ConfigFile> {
  let value: unknown;
  try {
    value = load(String(await readSettingsFile(path)), { schema: CORE_SCHEMA });
  } catch (error) {
    throw new UsageError(`cannot read the configuration file ${path}: ${fileFailure(error).split('\n')[0]}`);
  }
  if (value === undefined || value === null) return { common: {}, sections: {} };
  const mistakes: string[] = [];
  const common: Record<string, unknown> = {};
  const sections: Partial<Record<Role, FlagValues>> = {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new UsageError(`${path} must hold a mapping of flags to values`);
  for (const [key, entry] of Object.entries(value)) {
    const role = ROLES.find((name) => name === key);
    const isSection = role !== undefined && typeof entry === 'object' && entry !== null && !Array.isArray(entry);
    if (isSection) sections[role] = readSection(entry as Record<string, unknown>, `${key}.`, SECTIONS[role], mistakes);
    else Object.assign(common, readSection({ [key]: entry }, '', allowed, mistakes));
  }
  if (mistakes.length > 0) throw new UsageError(`${path}: ${mistakes.join('; ')}`);
  return { common: common as FlagValues, sections };
}

function readSection(section: Readonly<Record<string, unknown>>, prefix: string, allowed: readonly FlagName[], mistakes: string[]): FlagValues {
  const values: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(section)) {
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) as FlagName;
    if (!allowed.includes(name) || name === 'config') {
      mistakes.push(`${prefix}${key} is not a setting of this ${prefix === '' ? 'command' : 'section'}`);
      continue;
    }
    try {
      values[name] = checkValue(name, entry, `${prefix}${key}`);
    } catch (error) {
      mistakes.push(errorMessage(error));
    }
  }
  return values as FlagValues;
}
