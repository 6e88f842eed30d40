import type { IncomingMessage } from 'node:http';

/** Clients that take the server for a proxy send whole URLs: of them only the path and the query count. Changes `request`. */
export function toOriginForm(request: IncomingMessage): void {
  const { url } = request;
  if (url === undefined || url.startsWith('/')) return;
  const origin = /^https?:\/\/[^/?#]*/i.exec(url);
  if (origin) request.url = url.slice(origin[0].length) || '/';
}
