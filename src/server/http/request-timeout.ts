import { parseDuration } from '../../base/duration.js';
import { badRequestError } from '../../api/status-error.js';

const NUMBER = /^(?:\d+(?:\.\d*)?|\.\d+)/;
const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/**
 * Milliseconds that the client is ready to wait, from the parameter `timeout`: undefined without one and for what is not above zero.
 * Throws a 400 in upstream's words for what is no duration.
 */
export function requestTimeout(query: URLSearchParams): number | undefined {
  const text = query.get('timeout') ?? '';
  if (text === '') return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw badRequestError(`invalid timeout specified in the request URL - time: ${complaint(text)}`);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** What Go says of a text that is no duration. */
function complaint(text: string): string {
  const quoted = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, '');
  for (;;) {
    const number = NUMBER.exec(rest)?.[0];
    if (number === undefined) return `invalid duration ${quoted}`;
    rest = rest.slice(number.length);
    const unit = /^[^.\d]*/.exec(rest)![0];
    if (unit === '') return `missing unit in duration ${quoted}`;
    if (!UNITS.has(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
  }
}
