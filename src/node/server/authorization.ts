import type { TLSSocket } from 'node:tls';
import { SUBJECT_ACCESS_REVIEWS } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { Client } from '../../client/index.js';
import { HttpError } from './pod-directory.js';

/** How long answers of the API server are believed, in milliseconds. */
const ALLOWED_FOR = 300_000;
const DENIED_FOR = 30_000;
const CAPACITY = 1000;

const VERBS: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Paths, each with those below it, and the subresources of the node that let somebody see them. */
const SUBRESOURCES: readonly (readonly [path: string, subresources: readonly string[]])[] = [
  ['/pods', ['pods', 'proxy']], ['/runningpods', ['pods', 'proxy']], ['/healthz', ['healthz', 'proxy']], ['/configz', ['configz', 'proxy']], ['/stats', ['stats']], ['/metrics', ['metrics']], ['/logs', ['log']], ['/checkpoint', ['checkpoint']],
];

/** The subresources of a node of which one has to be allowed for a path: upstream's. */
export function pathSubresources(path: string): readonly string[] {
  return SUBRESOURCES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? ['proxy'];
}

/** Admits clients with a certificate of the agent's client CA, as far as they may use the node. */
export class AgentAuthorizer {
  private readonly decisions = new Map<string, { readonly allowed: boolean; readonly until: number }>();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** Throws 401 without a valid certificate, 403 when the user may not do this to the node. */
  async authorize(socket: TLSSocket, method: string, path: string, nodeName: string): Promise<void> {
    if (!socket.authorized) throw new HttpError(401, 'Unauthorized');
    const subject = socket.getPeerCertificate().subject as { readonly CN?: string; readonly O?: string | readonly string[] } | undefined;
    const user = subject?.CN ?? '';
    if (user === '') throw new HttpError(401, 'Unauthorized');
    const groups = subject?.O === undefined ? [] : typeof subject.O === 'string' ? [subject.O] : subject.O;
    if (groups.includes('system:masters')) return;
    const verb = VERBS[method] ?? '';
    const subresources = pathSubresources(path);
    for (const subresource of subresources) if (await this.allowed(user, groups, verb, subresource, nodeName)) return;
    throw new HttpError(403, `Forbidden (user=${user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`);
  }

  private async allowed(user: string, groups: readonly string[], verb: string, subresource: string, name: string): Promise<boolean> {
    const key = JSON.stringify([user, groups, verb, subresource, name]);
    const now = this.clock.monotonic();
    const known = this.decisions.get(key);
    if (known && known.until > now) return known.allowed;
    const review = await this.client.resource(SUBJECT_ACCESS_REVIEWS).create({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups: [...groups, 'system:authenticated'], resourceAttributes: { verb, group: '', version: 'v1', resource: 'nodes', subresource, name } },
    });
    const allowed = review.status?.allowed === true;
    if (this.decisions.size >= CAPACITY) this.decisions.clear();
    this.decisions.set(key, { allowed, until: now + (allowed ? ALLOWED_FOR : DENIED_FOR) });
    return allowed;
  }
}
