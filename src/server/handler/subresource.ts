import type { ApiRequest, ApiResponse } from './api-request.js';

/**
 * A subresource or virtual resource with its own behaviour (`pods/binding`, `pods/eviction`, `serviceaccounts/token`, `pods/log`,
 * `tokenreviews` …), registered by `<group>/<resource>[/<subresource>]`. Authorization has been done; admission is the handler's business.
 */
export interface CustomHandler {
  /** Like `/pods/binding` for core, `authorization.k8s.io/subjectaccessreviews` otherwise. */
  readonly path: string;
  /** Verbs it answers; others get 405. */
  readonly verbs: readonly string[];
  handle(request: ApiRequest): Promise<ApiResponse>;
}
