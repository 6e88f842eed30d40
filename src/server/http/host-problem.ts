import type { IncomingMessage } from 'node:http';

const BAD_REQUEST = '400 Bad Request';

/** Why a request of HTTP/1.1 is refused for its `Host` headers: it must have one, since those that read it with other eyes might take another. */
export function hostProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.0' ? undefined : `${BAD_REQUEST}: missing required Host header`;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') hosts++;
  return hosts > 1 ? BAD_REQUEST : undefined;
}
