import type { PostJson } from './extender.js';

/** Reaches extenders by `fetch`. */
export const fetchPost: PostJson = async (url, body, timeoutMilliseconds) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const action = url.slice(url.lastIndexOf('/') + 1);
  if (response.status !== 200) throw new Error(`failed ${action} with extender at URL ${url}, code ${response.status}`);
  return response.json();
};
