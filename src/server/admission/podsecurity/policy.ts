import type { V1ObjectMeta, V1PodSpec } from '../../../api/generated/types.js';
import { invalid, type FieldError } from '../../../api/meta/field-error.js';
import { FieldPath } from '../../../api/meta/field-path.js';
import { BASELINE_CHECKS } from './baseline.js';
import type { Violation } from './check.js';
import { isLevel, isVersion, LEVEL_RULE, strictness, VERSION_RULE, type Level, type LevelVersion, type Policy } from './level.js';
import { RESTRICTED_CHECKS } from './restricted.js';

/** A policy, and what is wrong with the labels that it comes from. */
export interface LabelledPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

export const LABEL_PREFIX = 'pod-security.kubernetes.io/';
const LATEST_MINOR = 36;

/**
 * Reads the labels of a namespace; what they leave out is as in `defaults`. Values that mean nothing are reported, and taken to be the strictest
 * for enforcement, the laxest for audit and warnings.
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): LabelledPolicy {
  const errors: FieldError[] = [];
  const read = (mode: keyof Policy, fallback: Level): LevelVersion => {
    const parse = (label: string, isGood: (value: string) => boolean, rule: string, otherwise: string, absent: string): string => {
      const value = labels?.[label];
      if (value === undefined) return absent;
      if (isGood(value)) return value;
      errors.push(invalid(FieldPath.of('metadata', 'labels').key(label), value, rule));
      return otherwise;
    };
    const label = LABEL_PREFIX + mode;
    return {
      level: parse(label, isLevel, LEVEL_RULE, fallback, defaults[mode].level) as Level,
      version: parse(`${label}-version`, isVersion, VERSION_RULE, 'latest', defaults[mode].version),
    };
  };
  const enforce = read('enforce', 'restricted');
  const audit = read('audit', 'privileged');
  const warn = read('warn', 'privileged');
  // Who enforces a level is warned about it as well, unless they say otherwise.
  const follows = labels?.[`${LABEL_PREFIX}warn`] === undefined && isLevel(labels?.[`${LABEL_PREFIX}enforce`] ?? '') && strictness(enforce.level) > strictness(warn.level);
  const followed = { level: enforce.level, version: labels?.[`${LABEL_PREFIX}warn-version`] === undefined ? enforce.version : warn.version };
  return { policy: { enforce, audit, warn: follows ? followed : warn }, errors };
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
