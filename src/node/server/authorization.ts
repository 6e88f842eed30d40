import type { TLSSocket } from 'node:tls';
import { SUBJECT_ACCESS_REVIEWS } from '../../api/resource-refs.js';
import type { Clock } from '../../base/clock.js';
import type { Client } from '../../client/index.js';
import { HttpError } from './pod-directory.js';

/** How long answers of the API server are believed, in milliseconds. */
const ALLOWED_FOR = 300_000;
const DENIED_FOR = 30_000;
const CAPACITY = 1000;

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
    const verb = method === 'GET' || method === 'HEAD' ? 'get' : method === 'POST' ? 'create' : method.toLowerCase();
    const subresource = path.startsWith('/stats') ? 'stats' : path.startsWith('/metrics') ? 'metrics' : path.startsWith('/logs') ? 'log' : 'proxy';
    if (!(await this.allowed(user, groups, verb, subresource, nodeName))) {
      throw new HttpError(403, `Forbidden (user=${user}, verb=${verb}, resource=nodes, subresource(s)=[${subresource}])\n`);
    }
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
