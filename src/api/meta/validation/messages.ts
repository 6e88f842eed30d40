/**
 * Wording shared by the string rules in this folder. A rule takes a value and returns the messages of
 * what is wrong with it, empty when it is fine; callers wrap each message into a field error.
 *
 * Index of `src/api/meta/validation/`:
 * - `messages.ts` — wording; `names.ts` — DNS labels and subdomains, path segments, rules for `metadata.name`
 * - `labels.ts` — label keys and values, label maps, annotations (256 KiB); `label-selector.ts` — selectors, field selector requirements
 * - `object-meta.ts` — `metadata` on create and update; `owner-references.ts`, `finalizers.ts`, `managed-fields.ts`
 * - `immutable.ts` — "field is immutable" and set-once rules; `numbers.ts` — ranges, ports, port names, user and group ids
 * - `int-or-string.ts` — percentages and IntOrString; `ip.ts` — IP addresses and CIDRs; `text.ts` — env var names, config map keys, HTTP headers, domain names
 * - `conditions.ts` — lists of `Condition`; `enums.ts` — values out of a set
 */
export type Messages = readonly string[];

/** The answer of a rule when nothing is wrong; shared so that the usual case allocates nothing. */
export const OK: Messages = Object.freeze([]);

export const EMPTY_MESSAGE = 'must be non-empty';
export const NEGATIVE_MESSAGE = 'must be greater than or equal to 0';

export const maxCharactersMessage = (length: number): string => `must be no more than ${length} characters`;
export const maxBytesMessage = (length: number): string => `must be no more than ${length} bytes`;
export const rangeMessage = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

/** What a value that must match a pattern is told. */
export function patternMessage(text: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${pattern}')`;
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Length in bytes of UTF-8, which is what upstream's limits count. */
export function byteLength(text: string): number {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text);
  return text.length;
}
