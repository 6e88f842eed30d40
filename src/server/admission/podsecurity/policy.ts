import type { V1ObjectMeta, V1PodSpec } from '../../../api/generated/types.js';
import { invalid, type FieldError } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { BASELINE_CHECKS } from './baseline.js';
import type { Violation } from './check.js';
import { RESTRICTED_CHECKS } from './restricted.js';

export type Level = 'privileged' | 'baseline' | 'restricted';

/** How strict, and by which version's rules. */
export interface LevelVersion {
  readonly level: Level;
  /** `latest` or `v1.x`. */
  readonly version: string;
}

/** What the labels of a namespace ask for. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  readonly errors: readonly FieldError[];
}

const LEVELS: readonly string[] = ['privileged', 'baseline', 'restricted'];
const PREFIX = 'pod-security.kubernetes.io/';
const LATEST_MINOR = 36;

export const strictness = (level: Level): number => LEVELS.indexOf(level);
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Reads the labels. Values that mean nothing are reported, and taken to be the strictest for enforcement, the laxest for warnings. */
export function policyOf(labels: Readonly<Record<string, string>> | undefined): Policy {
  const errors: FieldError[] = [];
  const complain = (label: string, value: string, detail: string): void => {
    errors.push(invalid(FieldPath.of('metadata', 'labels').key(label), value, detail));
  };
  const readLevel = (mode: string, fallback: Level): Level | undefined => {
    const label = PREFIX + mode;
    const value = labels?.[label];
    if (value === undefined) return undefined;
    if (LEVELS.includes(value)) return value as Level;
    complain(label, value, `must be one of ${LEVELS.join(', ')}`);
    return fallback;
  };
  const readVersion = (mode: string): string | undefined => {
    const label = `${PREFIX}${mode}-version`;
    const value = labels?.[label];
    if (value === undefined || value === 'latest' || /^v1\.([0-9]|[1-9][0-9]*)$/.test(value)) return value;
    complain(label, value, 'must be "latest" or "v1.x"');
    return 'latest';
  };
  const enforce = { level: readLevel('enforce', 'restricted') ?? 'privileged', version: readVersion('enforce') ?? 'latest' };
  const enforceIsGood = LEVELS.includes(labels?.[`${PREFIX}enforce`] ?? '');
  readLevel('audit', 'privileged');
  readVersion('audit');
  const warnLevel = readLevel('warn', 'privileged');
  const warnVersion = readVersion('warn');
  // Who enforces a level is warned about it as well, unless they say otherwise.
  const followsEnforce = warnLevel === undefined && enforceIsGood && enforce.level !== 'privileged';
  const warn = followsEnforce ? { level: enforce.level, version: warnVersion ?? enforce.version } : { level: warnLevel ?? 'privileged', version: warnVersion ?? 'latest' };
  return { enforce, warn, errors };
}

/** What in a pod violates a level. */
export function violations({ level, version }: LevelVersion, spec: V1PodSpec, metadata: V1ObjectMeta | undefined): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? LATEST_MINOR : Number(version.slice('v1.'.length));
  const restricted = level === 'restricted' ? RESTRICTED_CHECKS.filter(({ since }) => minor >= since) : [];
  const overridden = new Set(restricted.map(({ overrides }) => overrides));
  const checks = [...[...BASELINE_CHECKS].filter(([name]) => !overridden.has(name)).map(([, check]) => check), ...restricted.map(({ check }) => check)];
  return checks.map((check) => check(spec, metadata ?? {}, minor)).filter((violation) => violation !== undefined);
}

/** All violations as one text. */
export const violationText = (found: readonly Violation[]): string => found.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
