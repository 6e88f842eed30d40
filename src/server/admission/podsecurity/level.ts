export type Level = 'privileged' | 'baseline' | 'restricted';

/** How strict, and by which version's rules. */
export interface LevelVersion {
  readonly level: Level;
  /** `latest` or `v1.x`. */
  readonly version: string;
}

/** What is asked of the pods of a namespace. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

const LEVELS: readonly string[] = ['privileged', 'baseline', 'restricted'];

export const LEVEL_RULE = `must be one of ${LEVELS.join(', ')}`;
export const VERSION_RULE = 'must be "latest" or "v1.x"';
/** Asks for nothing. */
export const PRIVILEGED: LevelVersion = { level: 'privileged', version: 'latest' };

export const isLevel = (value: string): value is Level => LEVELS.includes(value);
export const isVersion = (value: string): boolean => value === 'latest' || /^v1\.([0-9]|[1-9][0-9]*)$/.test(value);
export const strictness = (level: Level): number => LEVELS.indexOf(level);
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether both ask for the same; versions do not matter where nothing is asked for. */
export const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && (a.level === 'privileged' || a.version === b.version);
