import fc from 'fast-check';

/** Percent-encoded, also where half a surrogate pair stands alone. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const values = fc.oneof(
  fc.constantFrom('', '0', '-1', 'x', 'true', 'TRUE', 'null', '1e9', '99999999999999999999', '%00', '%ff', '%', '%2', '%zz', '%F0%9F%92%A5', '+', '&', '=', '[]', 'All', 'all', 'Background', 'Exact', 'NotOlderThan', 'Strict', 'a'.repeat(10_000), '%0d%0aX-Injected:%201', '../..', '{"v":1}', 'eyJ2IjoxfQ', 'eyJydiI6LTF9', 'bnVsbA', 'W10='),
  fc.string({ maxLength: 30 }).map((text) => encoded(text)),
);

const selectors = fc.oneof(
  fc.constantFrom('=', '==', '!=', '!', '!!a', 'a in (', 'a in )', 'a in ()', 'a notin', 'a notin (x', 'a=b=c', 'a,,b', ',', 'a>', 'a>b', 'a<1,', 'a/b/c=d', '/a=b', 'a==b,c!=d,e in (f,g),!h', 'a in (b,c', '(', ')', `a in (${'x,'.repeat(5000)}x)`, `${'a'.repeat(300)}=b`, `a=${'b'.repeat(300)}`, 'metadata.name', 'metadata.name=', 'metadata.name=a=b', 'metadata.name=\\', 'metadata.name=a\\,b', 'metadata.nonsense=x', 'spec.nodeName!=', 'status.phase=a,status.phase=b', '__proto__=x', 'constructor=x', 'metadata.namespace=../x'),
  fc.string({ maxLength: 40 }),
).map((text) => encoded(text));

const NAMES = ['limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'timeoutSeconds', 'sendInitialEvents', 'allowWatchBookmarks', 'watch', 'pretty', 'dryRun', 'fieldManager', 'fieldValidation', 'force', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'includeObject', 'container', 'follow', 'tailLines', 'sinceSeconds', 'sinceTime', 'limitBytes', 'stream', 'timestamps', 'command', 'stdin', 'tty', 'ports', 'path', 'as', 'unknown', '%00', ''];

const pair = fc.oneof(
  fc.tuple(fc.constantFrom(...NAMES), values).map(([name, value]) => `${name}=${value}`),
  fc.tuple(fc.constantFrom('labelSelector', 'fieldSelector'), selectors).map(([name, value]) => `${name}=${value}`),
);

/** A query string, mostly of known names with values that do not fit; a watch among them ends after a second. */
export const query: fc.Arbitrary<string> = fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => {
  const text = pairs.join('&').replace(/timeoutSeconds=\d*$/, 'timeoutSeconds=1');
  return /watch=|follow=/.test(text) ? `timeoutSeconds=1&${text}` : text;
});

/** A part of a path that is no good name. */
export const segment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('%00', '%2F', '%2e%2e', '..', '.', '%', '%z1', '%ff%fe', 'A', '_', '-a', 'a-', '%20', 'a'.repeat(300), '%F0%9F%92%A5', '__proto__', 'constructor', 'toString', '%7B%7D', '*', '~', ';', 'a%0d%0ab', '%5C', 'namespaces', 'watch', 'proxy'),
  fc.string({ maxLength: 20 }).map((text) => encoded(text)),
);
