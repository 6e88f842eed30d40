import { createHash } from 'node:crypto';
import { warningsOf } from '../differential/answer.mjs';
import { judge, readExplanations } from '../differential/explained.js';
import { replay, type Ask } from '../differential/replay.js';
import type { Authenticator } from '../../src/server/authn/authenticator.js';
import { assembleParts } from '../../src/server/parts.js';
import type { ServerContext, ServerParts } from '../../src/server/server-context.js';
import { startTestServer, type TestServer } from './server/harness.js';

/** The user as whom the corpus was recorded. */
const RECORDER: Authenticator = {
  name: 'recorder',
  authenticate: () => ({ name: 'oracle-admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} }),
};
/** Upstream does this in the controller manager, which the recorded server went without. */
const NOT_RECORDED = 'rbac/cluster-role-aggregation';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer((context: ServerContext): ServerParts => {
    const parts = assembleParts(context);
    return { ...parts, authenticators: [RECORDER], postStart: parts.postStart.filter(({ name }) => name !== NOT_RECORDED) };
  });
  await server.server.ready;
});
afterAll(() => server.stop());

/** Over HTTPS, one request after the other, so that all go through one connection. */
const ask: Ask = async ({ method, path, body, type, accept }) => {
  const headers = { accept: accept ?? 'application/json', ...(type === undefined ? {} : { 'content-type': type }) };
  const { code, headers: answered, text } = await server.send(method, path, { ...(body === undefined ? {} : { body: JSON.stringify(body) }), headers });
  try {
    return { status: code, object: JSON.parse(text) as unknown, warnings: warningsOf([answered['warning'] ?? []].flat()) };
  } catch {
    return { status: code, object: { text: text.slice(0, 500) } };
  }
};

/** The fast tests ask a part of the requests, always the same; `scripts/test` asks all. */
const ALL = process.env['KUBE_CORPUS'] === 'all';
const PART = 5;

test('answers as upstream was recorded to answer, but for what is explained', async () => {
  const { asked, mismatches } = await replay(ask, (id) => ALL || createHash('sha1').update(id).digest()[0]! % PART === 0);
  expect(asked).toBeGreaterThan(ALL ? 23_000 : 4_000);
  const { unexplained, wrongCounts } = judge(mismatches, readExplanations());
  // How often an explanation holds is known of the whole alone.
  expect({ unexplained, wrongCounts: ALL ? wrongCounts : [] }).toEqual({ unexplained: [], wrongCounts: [] });
}, 600_000);

test('an explanation explains what it names, as often as it says', () => {
  const mismatches = [{ id: 'pods: get', facts: ['code: 500 -> 400', 'reason: a -> b'] }, { id: 'jobs: get', facts: ['code: 500 -> 400'] }];
  const explanation = { cases: '*: get', facts: ['code: *'], count: 2, reason: 'x' };
  expect(judge(mismatches, [explanation])).toEqual({ unexplained: ['pods: get\n    reason: a -> b'], wrongCounts: [] });
  expect(judge(mismatches.slice(1), [explanation]).wrongCounts).toEqual(['"*: get" (x) explains 1 cases, not 2']);
});
