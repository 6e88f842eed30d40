import type { V1SelfSubjectReview, V1TokenReview, V1TokenReviewStatus } from '../../../api/generated/types.js';
import { badRequestError } from '../../../api/status-error.js';
import type { TokenAuthenticator } from '../../authn/token.js';
import { TokenError } from '../../authn/token.js';
import { withAuthenticatedGroup } from '../../authn/users.js';
import type { CustomHandler } from '../../handler/subresource.js';
import type { ServerContext } from '../../server-context.js';
import { timestamp } from '../../../api/meta/timestamp.js';
import { virtualHandler } from '../virtual.js';
import { apiUserInfo } from './user-info.js';

const GROUP = 'authentication.k8s.io';

/** Who a token stands for. */
export function tokenReviewHandler(context: ServerContext, tokens: TokenAuthenticator): CustomHandler {
  return virtualHandler<V1TokenReview>(context, {
    path: `${GROUP}/tokenreviews`,
    kind: { group: GROUP, version: 'v1', kind: 'TokenReview' },
    run: async ({ object, validate }) => {
      const { token = '', audiences = [] } = object.spec ?? {};
      if (token === '') throw badRequestError('token is required for TokenReview in authentication');
      await validate();
      return { object: { ...object, status: await review(tokens, token, audiences.length > 0 ? audiences : context.options.apiAudiences) } };
    },
  });
}

async function review(tokens: TokenAuthenticator, token: string, audiences: readonly string[]): Promise<V1TokenReviewStatus> {
  try {
    const identity = await tokens.authenticateToken(token, audiences);
    if (!identity) return { user: {}, error: 'invalid bearer token' };
    return { authenticated: true, user: apiUserInfo(withAuthenticatedGroup(identity.user)), audiences: identity.audiences };
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { user: {}, error: `[invalid bearer token, ${error.message}]` };
  }
}

/** Who the caller is. */
export function selfSubjectReviewHandler(context: ServerContext): CustomHandler {
  return virtualHandler<V1SelfSubjectReview>(context, {
    path: `${GROUP}/selfsubjectreviews`,
    kind: { group: GROUP, version: 'v1', kind: 'SelfSubjectReview' },
    run: async ({ request, validate }) => {
      await validate();
      return { object: { metadata: { creationTimestamp: timestamp(context.clock.now()) }, status: { userInfo: apiUserInfo(request.user) } } };
    },
  });
}
