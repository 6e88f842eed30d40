import { byteLength, maxCharactersMessage, OK, patternMessage, type Messages } from './messages.js';

/**
 * Rules for names: DNS-1123 labels and subdomains, DNS-1035 labels, path segments, and the forms that
 * `KindDefinition.validateName` wants (`nameIs…`, where `prefix` is true for a `generateName`).
 */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_UNDERSCORE = `${LABEL_UNDERSCORE}(\\.${LABEL_UNDERSCORE})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const WILDCARD = `\\*\\.${SUBDOMAIN}`;

// Patterns for matching are written without nested repetition of the same characters, so that a long bad value cannot backtrack.
const LABEL_RE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN_RE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const SUBDOMAIN_UNDERSCORE_RE = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const LABEL_1035_RE = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const LABEL_MESSAGE = patternMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL, 'my-name', '123-abc');
const SUBDOMAIN_MESSAGE = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN, 'example.com');
const SUBDOMAIN_UNDERSCORE_MESSAGE = patternMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_UNDERSCORE, 'example.com');
const SUBDOMAIN_CASELESS_MESSAGE = patternMessage(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN, 'Example.com');
const LABEL_1035_MESSAGE = patternMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035, 'my-name', 'abc-123');
const WILDCARD_MESSAGE = patternMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD, '*.example.com');

/** RFC 1123 label, at most 63 characters. */
export function dns1123Label(value: string): Messages {
  if (value.length <= LABEL_MAX && LABEL_RE.test(value)) return OK;
  const messages: string[] = [];
  if (byteLength(value) > LABEL_MAX) messages.push(maxCharactersMessage(LABEL_MAX));
  if (!LABEL_RE.test(value)) messages.push(SUBDOMAIN_RE.test(value) ? 'must not contain dots' : LABEL_MESSAGE);
  return messages;
}

/** RFC 1035 label: as above, but it begins with a letter. */
export function dns1035Label(value: string): Messages {
  return limited(value, LABEL_MAX, LABEL_1035_RE, LABEL_1035_MESSAGE);
}

/** RFC 1123 subdomain, at most 253 characters. */
export function dns1123Subdomain(value: string): Messages {
  return limited(value, SUBDOMAIN_MAX, SUBDOMAIN_RE, SUBDOMAIN_MESSAGE);
}

/** As {@link dns1123Subdomain}, upper case allowed. */
export function dns1123SubdomainCaseless(value: string): Messages {
  const messages = dns1123Subdomain(value.toLowerCase());
  return messages.length === 0 ? OK : messages.map((message) => (message === SUBDOMAIN_MESSAGE ? SUBDOMAIN_CASELESS_MESSAGE : message));
}

/** As {@link dns1123Subdomain}, underscores allowed (search domains of a pod's DNS). */
export function dns1123SubdomainWithUnderscore(value: string): Messages {
  return limited(value, SUBDOMAIN_MAX, SUBDOMAIN_UNDERSCORE_RE, SUBDOMAIN_UNDERSCORE_MESSAGE);
}

/** `*.` and a subdomain (hosts of an Ingress). */
export function wildcardDns1123Subdomain(value: string): Messages {
  const fits = value.startsWith('*.') && SUBDOMAIN_RE.test(value.slice(2));
  if (fits && value.length <= SUBDOMAIN_MAX) return OK;
  const messages: string[] = [];
  if (value.length > SUBDOMAIN_MAX) messages.push(maxCharactersMessage(SUBDOMAIN_MAX));
  if (!fits) messages.push(WILDCARD_MESSAGE);
  return messages;
}

/** What may stand as one segment of a URL path. */
export function pathSegmentName(name: string, prefix = false): Messages {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const messages: string[] = [];
  for (const part of ['/', '%']) if (name.includes(part)) messages.push(`may not contain '${part}'`);
  return messages.length === 0 ? OK : messages;
}

/** Rule of a `metadata.name`; see `KindDefinition.validateName`. */
export type NameRule = (name: string, prefix: boolean) => string[];

const nameRule = (rule: (value: string) => Messages): NameRule => (name, prefix) => [...rule(prefix ? maskTrailingDash(name) : name)];

export const nameIsDnsSubdomain: NameRule = nameRule(dns1123Subdomain);
/** The declarative form of {@link nameIsDnsSubdomain}: it counts in bytes and says nothing of a generateName. */
export const nameIsLongName: NameRule = (name, prefix) =>
  (prefix ? [] : dns1123Subdomain(name).map((message) => (message === maxCharactersMessage(SUBDOMAIN_MAX) ? `must be no more than ${SUBDOMAIN_MAX} bytes` : message)));
export const nameIsDnsLabel: NameRule = nameRule(dns1123Label);
export const nameIsDns1035Label: NameRule = nameRule(dns1035Label);
/** Names that are only kept out of trouble in URLs (RBAC, for instance). */
export const nameIsPathSegment: NameRule = (name, prefix) => [...pathSegmentName(name, prefix)];

/** A generateName may end in dashes: what follows it makes the name valid. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

function limited(value: string, max: number, pattern: RegExp, message: string): Messages {
  const fits = pattern.test(value);
  if (fits && value.length <= max) return OK;
  const messages: string[] = [];
  if (byteLength(value) > max) messages.push(maxCharactersMessage(max));
  if (!fits) messages.push(message);
  return messages;
}
