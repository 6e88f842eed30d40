import type { UserInfo } from '../authn/authenticator.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import { pathNotFoundError } from '../../api/status-error.js';
import { forbiddenRequestError } from '../authz/forbidden.js';
import type { ApiCore } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import type { Dispatcher } from './dispatch.js';
import { EMPTY_QUERY } from './parse-request-info.js';
import type { RequestInfo } from './request-info.js';

/** Answers requests for paths that are no resources. */
export interface NonResourceHandler {
  handle(request: ApiRequest): Promise<ApiResponse>;
}

/** What happens to every request once it is known who makes it: authorization, then the handler. HTTP and in-process requests meet here. */
export class Pipeline {
  constructor(
    private readonly core: ApiCore,
    private readonly dispatcher: Dispatcher,
    private readonly nonResource: NonResourceHandler,
  ) {}

  /** Throws the 403 when nobody allows the request. Returns a promise only when an authorizer needs one. */
  authorize(user: UserInfo, info: RequestInfo, query: URLSearchParams): void | Promise<void> {
    const attributes = requestAttributes(user, info, query);
    const decision = this.core.authorize(attributes);
    if (decision instanceof Promise) return decision.then((known) => demand(known, attributes));
    demand(decision, attributes);
  }

  /** Answers an authorized request. Throws `StatusError`s. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    if (!request.info.isResourceRequest) return this.nonResource.handle(request);
    const { group, version } = request.info;
    if (!this.core.scheme.serves(group, version)) {
      if (request.inProcess) throw pathNotFoundError();
      return this.nonResource.handle(request);
    }
    return this.dispatcher.handle(request);
  }
}

function demand(decision: Decision, attributes: AuthorizationAttributes): void {
  if (decision.decision !== 'allow') throw forbiddenRequestError(attributes, decision.reason);
}

/** What a request asks to be allowed. */
export function requestAttributes(user: UserInfo, info: RequestInfo, query: URLSearchParams): AuthorizationAttributes {
  const { verb, isResourceRequest, namespace, group, version, resource, subresource, name, path } = info;
  if (query === EMPTY_QUERY || (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection')) {
    return { user, verb, isResourceRequest, namespace, group, version, resource, subresource, name, path };
  }
  const fieldSelector = query.get('fieldSelector');
  const labelSelector = query.get('labelSelector');
  return {
    user, verb, isResourceRequest, namespace, group, version, resource, subresource, name, path,
    ...(fieldSelector === null ? {} : { fieldSelector }),
    ...(labelSelector === null ? {} : { labelSelector }),
  };
}
