import type { ApiResponse } from '../handler/api-request.js';

/** A plain-text answer. */
export function textResponse(code: number, text: string): ApiResponse {
  return { type: 'bytes', code, mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from(text), headers: { 'X-Content-Type-Options': 'nosniff' } };
}

/** What stands behind no path at all. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
