import { timingSafeEqual } from 'node:crypto';
import { SECRETS } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { ClusterView } from '../registry/cluster-view.js';
import { TokenError, type TokenAuthenticator, type TokenIdentity } from './token.js';
import { simpleUser } from './users.js';

const PATTERN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const NAMESPACE = 'kube-system';
const TYPE = 'bootstrap.kubernetes.io/token';

/** Tokens with which new nodes join: Secrets `bootstrap-token-<id>` in `kube-system`. */
export class BootstrapTokenAuthenticator implements TokenAuthenticator {
  constructor(private readonly view: ClusterView, private readonly clock: Clock, private readonly apiAudiences: readonly string[]) {}

  authenticateToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
    const match = PATTERN.exec(token);
    if (!match) return undefined;
    const [, id, key] = match as unknown as [string, string, string];
    const secret = this.view.get(SECRETS, NAMESPACE, `bootstrap-token-${id}`);
    if (!secret || secret.type !== TYPE || secret.metadata?.deletionTimestamp !== undefined) return undefined;
    const field = (name: string): string => Buffer.from(secret.data?.[name] ?? '', 'base64').toString('utf8');
    const stored = Buffer.from(field('token-secret'));
    const sent = Buffer.from(key);
    if (stored.length !== sent.length || !timingSafeEqual(stored, sent) || field('token-id') !== id) return undefined;
    const expiration = field('expiration');
    if (expiration !== '' && !(Date.parse(expiration) > this.clock.now())) return undefined;
    if (field('usage-bootstrap-authentication') !== 'true') return undefined;
    const groups = field('auth-extra-groups').split(',').map((group) => group.trim()).filter((group) => group !== '');
    if (groups.some((group) => !GROUP.test(group))) throw new TokenError('the groups of the bootstrap token are not valid');
    return {
      user: simpleUser(`system:bootstrap:${id}`, [...new Set(['system:bootstrappers', ...groups])].sort()),
      audiences: this.apiAudiences.filter((audience) => audiences.includes(audience)),
    };
  }
}
