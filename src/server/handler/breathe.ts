import { weighsAtLeast } from '../../api/helpers/weight.js';
import { pause } from '../../base/steps.js';
import { LARGE_BYTES } from '../registry/large.js';
import type { ApiRequest } from './api-request.js';

/** Whether a request's body keeps the event loop busy at each of the steps that it goes through. */
export function hasLargeBody({ body }: ApiRequest): boolean {
  if (body.type !== 'bytes') return false;
  return body.bytes.length >= LARGE_BYTES || (body.read !== undefined && 'json' in body.read && body.read.json.length >= LARGE_BYTES);
}

/** The same for what a patch has made of an object: copies make much of little. */
export function isLarge(value: unknown): boolean {
  return weighsAtLeast(value, LARGE_BYTES);
}

/** Lets others have their turn between two steps of a request with a large body. */
export function breathe(request: ApiRequest): Promise<void> | undefined {
  return pause(hasLargeBody(request));
}
