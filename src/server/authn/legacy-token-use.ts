import type { V1Secret } from '../../api/generated/types.js';
import { SECRETS } from '../../api/resource-refs.js';
import { errorMessage } from '../../base/errors.js';
import type { ServerContext } from '../server-context.js';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';

/** Notes on secrets on which day their tokens were last used, so that unused ones can be found. */
export class LegacyTokenUse {
  private readonly writing = new Set<string>();

  constructor(private readonly context: Pick<ServerContext, 'clock' | 'log' | 'loopback'>) {}

  /** Writes at most once a day and secret, behind the request that used it. */
  note(secret: V1Secret): void {
    const { clock, log, loopback } = this.context;
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const { namespace = '', name = '', labels } = secret.metadata ?? {};
    const key = `${namespace}/${name}`;
    if (labels?.[LAST_USED] === today || this.writing.has(key)) return;
    this.writing.add(key);
    loopback.resource(SECRETS).patch(namespace, name, 'merge', { metadata: { labels: { [LAST_USED]: today } } })
      .catch((error: unknown) => log.debug('the use of a token in a secret was not noted', { secret: key, error: errorMessage(error) }))
      .finally(() => this.writing.delete(key));
  }
}
