const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, 'µs': 0.001, ns: 0.000001 };

/** Milliseconds of a Go duration (`1m30s`, `500ms`); undefined when it is none or negative. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) total += Number(amount) * UNITS[unit!]!;
  return total;
}

/** A duration as Go prints it: `500ms`, `1.5s`, `1m20s`, `5m0s`. */
export function goDuration(milliseconds: number): string {
  if (milliseconds <= 0) return '0s';
  if (milliseconds < 1000) return `${trim(milliseconds)}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = trim((milliseconds % 60_000) / 1000);
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

function trim(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
