const STABILITY: Readonly<Record<string, number>> = { '': 2, beta: 1, alpha: 0 };

/**
 * Order of API versions: stable before beta before alpha, greater numbers before smaller ones, others behind them by their names. Positive when `a` is
 * to be preferred.
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) {
    if (left || right) return left ? 1 : -1;
    return a < b ? 1 : -1;
  }
  for (const i of [0, 1, 2]) if (left[i] !== right[i]) return left[i]! - right[i]!;
  return 0;
}

function parse(version: string): readonly number[] | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  return match ? [STABILITY[match[2] ?? '']!, Number(match[1]), Number(match[3] ?? 0)] : undefined;
}
