import type { AdmissionregistrationV1ServiceReference } from '../generated/types.js';
import { invalid, quote, required, type FieldError } from '../meta/field-error.js';
import type { FieldPath } from '../meta/field-path.js';
import { dns1123Subdomain } from '../meta/validation/names.js';
import { portNumber } from '../meta/validation/numbers.js';

const FORM = '; desired format: https://host[/path]';
/** RFC 3986, appendix B: scheme, authority, query, fragment. */
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;

/** Where a webhook is: at a URL or behind a service. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: AdmissionregistrationV1ServiceReference;
}

/** Exactly one of `url` and `service`, and that one right. */
export function validateWebhookClient(config: WebhookClientConfig, path: FieldPath): FieldError[] {
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) return [required(path, 'exactly one of url or service is required')];
  return url === undefined ? validateService(service!, path.child('service')) : validateUrl(url, path.child('url'));
}

function validateUrl(url: string, path: FieldPath): FieldError[] {
  const problem = urlProblem(url);
  if (problem !== undefined) return [required(path, `url must be a valid URL: parse ${quote(url)}: ${problem}${FORM}`)];
  const [, scheme = '', authority = '', query = '', fragment = ''] = URL_PARTS.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalid(path, host, `host must be specified${FORM}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

/** Why text cannot be read as a URL at all, as Go's parser words it; undefined when it can. */
function urlProblem(url: string): string | undefined {
  if (hasControlCharacter(url)) return 'net/url: invalid control character in URL';
  if (url.startsWith(':')) return 'missing protocol scheme';
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/su.exec(url.split('#', 1)[0]!);
  if (bad) return `invalid URL escape ${quote(bad[0])}`;
  const [segment = ''] = url.split(/[/?#]/, 1);
  return segment.includes(':') && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(segment) ? 'first path segment in URL cannot contain colon' : undefined;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\x7f');
}

function validateService(service: AdmissionregistrationV1ServiceReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  // Upstream reports each of the two under the other's name.
  if (!service.namespace) errors.push(required(path.child('name')));
  if (!service.name) errors.push(required(path.child('namespace')));
  const port = service.port ?? 0;
  const wrong = portNumber(port);
  if (wrong.length > 0) errors.push(invalid(path.child('port'), port, `port is not valid: ${wrong.join(', ')}`));
  return [...errors, ...validatePath(service.path ?? '', path.child('path'))];
}

function validatePath(value: string, path: FieldPath): FieldError[] {
  if (value === '' || value === '/') return [];
  if (value === '//') return [invalid(path, value, 'segment[0] may not be empty')];
  const errors = value.startsWith('/') ? [] : [invalid(path, value, "must start with a '/'")];
  // Upstream cuts off a byte, not a character.
  const rest = value.charCodeAt(0) > 0x7f ? `\ufffd${value.slice(1)}` : value.slice(1);
  rest.replace(/\/$/, '').split('/').forEach((step, i) => {
    if (step === '') errors.push(invalid(path, value, `segment[${i}] may not be empty`));
    else for (const message of dns1123Subdomain(step)) errors.push(invalid(path, value, `segment[${i}]: ${message}`));
  });
  return errors;
}
