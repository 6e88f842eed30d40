import type { UserInfo } from '../authn/authenticator.js';

/** What is to be allowed; from the `RequestInfo` or from an access review. */
export interface AuthorizationAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly namespace: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** For non-resource requests. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface Decision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
}

/** One authorization mode; modes are asked in order until one does not say `no-opinion`. Synchronous where it can be: it is on every request's path. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
}
