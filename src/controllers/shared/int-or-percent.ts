/** The value of an IntOrString: a number, or a share (`25%`) of `total` rounded up or down. Anything else counts as 0. */
export function scaledValue(value: number | string | undefined, total: number, roundUp: boolean): number {
  if (typeof value === 'number') return value;
  const match = /^(\d+)%$/.exec(value ?? '');
  if (!match) return 0;
  const share = (Number(match[1]) * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}
