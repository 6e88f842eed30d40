import type { V1Lease } from '../../api/generated/types.js';
import { alreadyExistsError, conflictError, notFoundError, serviceUnavailableError } from '../../api/status-error.js';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createClient, type Client } from '../../client/index.js';
import { runLeaderElection } from './leader-election.js';

class LeaseServer {
  lease: V1Lease | undefined;
  private version = 0;
  readonly down = new Set<string>();

  clientOf(identity: string): Client {
    return createClient({
      request: (request) => {
        const gr = { group: 'coordination.k8s.io', resource: 'leases' };
        if (this.down.has(identity)) return Promise.reject(serviceUnavailableError('down'));
        const body = request.body as V1Lease | undefined;
        if (request.method === 'GET') {
          if (!this.lease) return Promise.reject(notFoundError(gr, 'l'));
        } else if (request.method === 'POST' && this.lease) return Promise.reject(alreadyExistsError(gr, 'l'));
        else if (request.method === 'PUT' && body?.metadata?.resourceVersion !== this.lease?.metadata?.resourceVersion) return Promise.reject(conflictError(gr, 'l', 'changed'));
        if (body) this.lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(++this.version) } };
        return Promise.resolve({ code: 200, body: this.lease, warnings: [] });
      },
      watch: () => Promise.reject(new Error('unused')),
      stream: () => Promise.reject(new Error('unused')),
      close: () => Promise.resolve(),
    });
  }
}

test('one leads; a leader that cannot renew gives up before another takes over', async () => {
  const clock = new FakeClock();
  const server = new LeaseServer();
  const history: string[] = [];
  const abort = new AbortController();
  const run = (identity: string): Promise<string> => runLeaderElection(
    { client: server.clientOf(identity), name: 'l', identity, clock, random: new SeededRandom(), log: silentLogger },
    (signal) => new Promise((resolve) => {
      history.push(`${identity} leads`);
      signal.addEventListener('abort', () => {
        history.push(`${identity} ends`);
        resolve();
      });
    }),
    abort.signal,
  );
  const a = run('a');
  await clock.advance(10);
  const b = run('b');
  await clock.advance(60_000);
  expect(history).toEqual(['a leads']);
  server.down.add('a');
  await clock.advance(60_000);
  expect(history).toEqual(['a leads', 'a ends', 'b leads']);
  expect(await a).toBe('lost');
  expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 15 });
  abort.abort();
  await clock.advance(0);
  expect(await b).toBe('stopped');
  expect(server.lease?.spec?.holderIdentity).toBe('');
});
