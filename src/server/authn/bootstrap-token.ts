import { timingSafeEqual } from 'node:crypto';
import type { V1Secret } from '../../api/generated/types.js';
import { SECRETS } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { ClusterView } from '../registry/cluster-view.js';
import type { TokenAuthenticator, TokenIdentity } from './token.js';
import { simpleUser } from './users.js';

const PATTERN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const NAMESPACE = 'kube-system';
const DEFAULT_GROUP = 'system:bootstrappers';
const TYPE = 'bootstrap.kubernetes.io/token';

/** RFC 3339, as the field has to be. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Tokens with which new nodes join: Secrets `bootstrap-token-<id>` in `kube-system`. Why one is not taken stands in the log, as upstream has it. */
export class BootstrapTokenAuthenticator implements TokenAuthenticator {
  constructor(private readonly view: ClusterView, private readonly clock: Clock, private readonly apiAudiences: readonly string[], private readonly log: Logger) {}

  authenticateToken(token: string, audiences: readonly string[]): TokenIdentity | undefined {
    const match = PATTERN.exec(token);
    if (!match) return undefined;
    const [, id, key] = match as unknown as [string, string, string];
    const valid = this.apiAudiences.filter((audience) => audiences.includes(audience));
    if (valid.length === 0 && this.apiAudiences.length > 0) return undefined;
    const name = `bootstrap-token-${id}`;
    const secret = this.view.get(SECRETS, NAMESPACE, name);
    const data = new Map(Object.entries(secret?.data ?? {}).map(([field, value]) => [field, Buffer.from(value, 'base64').toString('utf8')]));
    const reason = secret ? this.refusal(secret, data, id, key) : 'there is no such secret';
    if (reason !== undefined) {
      this.log.debug('bootstrap token refused', { secret: name, reason });
      return undefined;
    }
    return { user: simpleUser(`system:bootstrap:${id}`, [...new Set([DEFAULT_GROUP, ...groupsOf(data)])].sort()), audiences: valid };
  }

  private refusal(secret: V1Secret, data: ReadonlyMap<string, string>, id: string, key: string): string | undefined {
    if (secret.metadata?.deletionTimestamp !== undefined) return 'the secret is being deleted';
    if (secret.type !== TYPE) return `the type of the secret is not ${TYPE}`;
    const [stored, sent] = [Buffer.from(data.get('token-secret') ?? ''), Buffer.from(key)];
    if (stored.length !== sent.length || !timingSafeEqual(stored, sent)) return 'token-secret does not match';
    if (data.get('token-id') !== id) return 'token-id does not match';
    const expiration = data.get('expiration') ?? '';
    if (expiration !== '' && !(TIME.test(expiration) && Date.parse(expiration) > this.clock.now())) return 'the token has expired, or its expiration is not a time';
    if (data.get('usage-bootstrap-authentication') !== 'true') return 'usage-bootstrap-authentication is not true';
    return groupsOf(data).every((group) => GROUP.test(group)) ? undefined : 'auth-extra-groups has a group that does not match the pattern of bootstrap groups';
  }
}

function groupsOf(data: ReadonlyMap<string, string>): readonly string[] {
  const groups = data.get('auth-extra-groups') ?? '';
  return groups === '' ? [] : groups.split(',');
}
