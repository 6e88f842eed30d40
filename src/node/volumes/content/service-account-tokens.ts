import type { AuthenticationV1TokenRequest, V1Pod, V1ServiceAccountTokenProjection } from '../../../api/generated/types.js';
import { SERVICE_ACCOUNTS } from '../../../api/resource-refs.js';
import type { Clock } from '../../../base/clock.js';
import { errorMessage } from '../../../base/errors.js';
import type { Logger } from '../../../base/log.js';
import type { Random } from '../../../base/random.js';
import type { Client } from '../../../client/index.js';

/** Upstream's rule: a token is replaced at 80 % of its life, or after 24 hours, up to 10 seconds sooner so that not all are at the same time. */
const LIFE_SHARE = 0.8;
const MAX_AGE = 24 * 3600 * 1000;
const MAX_JITTER = 10_000;
/** Upstream's default where the API server did not fill one in, in seconds. */
const DEFAULT_EXPIRATION = 3600;
/** A token that could not be replaced is tried again after so many milliseconds. */
const RETRY = 30_000;

/** A token for a file. */
export interface ServiceAccountToken {
  readonly token: string;
  /** When to ask again, in milliseconds since the epoch. */
  readonly refreshAt: number;
}

interface Entry extends ServiceAccountToken {
  readonly expiresAt: number;
}

/** Tokens of pods' service accounts, bound to their pods, asked for when they are needed and kept in memory only. */
export class ServiceAccountTokens {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly environment: { readonly client: Client; readonly clock: Clock; readonly random: Random; readonly log: Logger }) {}

  /** A token that need not be replaced yet; the old one while it is valid and no new one can be had. */
  async get(pod: V1Pod, projection: V1ServiceAccountTokenProjection): Promise<ServiceAccountToken> {
    const { clock, log } = this.environment;
    const key = `${pod.metadata?.uid}/${projection.audience ?? ''}/${projection.expirationSeconds ?? DEFAULT_EXPIRATION}`;
    const known = this.entries.get(key);
    if (known && clock.now() < known.refreshAt) return known;
    try {
      const entry = await this.request(pod, projection);
      this.entries.set(key, entry);
      return entry;
    } catch (error) {
      if (!known) throw new Error(`failed to fetch token: ${errorMessage(error)}`, { cause: error });
      if (clock.now() >= known.expiresAt) throw new Error(`token expired and refresh failed: ${errorMessage(error)}`, { cause: error });
      log.warn('token of a service account could not be replaced; the old one is valid still', { pod: pod.metadata?.name, namespace: pod.metadata?.namespace, error: errorMessage(error) });
      return { token: known.token, refreshAt: clock.now() + RETRY };
    }
  }

  forget(podUid: string): void {
    for (const key of this.entries.keys()) if (key.startsWith(`${podUid}/`)) this.entries.delete(key);
  }

  private async request(pod: V1Pod, { audience, expirationSeconds = DEFAULT_EXPIRATION }: V1ServiceAccountTokenProjection): Promise<Entry> {
    const { client, clock, random } = this.environment;
    const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
    const body: AuthenticationV1TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { ...(audience ? { audiences: [audience] } : {}), expirationSeconds, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
    };
    const answer = await client.resource(SERVICE_ACCOUNTS).createSubresource<AuthenticationV1TokenRequest>(namespace, pod.spec?.serviceAccountName ?? '', 'token', body);
    const life = (answer.spec?.expirationSeconds ?? expirationSeconds) * 1000;
    const expiresAt = Date.parse(answer.status?.expirationTimestamp ?? '') || clock.now() + life;
    const jitter = random.float() * MAX_JITTER;
    const refreshAt = Math.min(expiresAt - life * (1 - LIFE_SHARE), expiresAt - life + MAX_AGE) - jitter;
    return { token: answer.status?.token ?? '', expiresAt, refreshAt };
  }
}
