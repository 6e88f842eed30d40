import { StatusError } from '../../api/status-error.js';
import type { AuthenticationRequest, Authenticator, UserInfo } from './authenticator.js';
import { ANONYMOUS, withAuthenticatedGroup } from './users.js';

/**
 * All ways to prove an identity as one. A wrong proof does not stop a later one from being right; but when none is
 * right and one was wrong, the answer is that one's 401, not the anonymous user.
 */
export class UnionAuthenticator implements Authenticator {
  readonly name = 'union';

  constructor(
    private readonly members: readonly Authenticator[],
    /** Who has no proof is the anonymous user: everywhere, nowhere, or on these paths. */
    private readonly anonymous: boolean | ReadonlySet<string>,
  ) {}

  async authenticate(request: AuthenticationRequest): Promise<UserInfo | undefined> {
    let failure: StatusError | undefined;
    for (const member of this.members) {
      try {
        const result = member.authenticate(request);
        const user = result instanceof Promise ? await result : result;
        if (user) return withAuthenticatedGroup(user);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    const allowed = typeof this.anonymous === 'boolean' ? this.anonymous : this.anonymous.has(request.path ?? '');
    return allowed ? ANONYMOUS : undefined;
  }
}
