import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CORE_SCHEMA, load } from 'js-yaml';
import { collectionOf } from '../differential/access/set-up.mjs';
import { roleBindings, type SetUpObject } from '../differential/access/matrix.mjs';
import { CLUSTER_ROLES } from '../../src/api/resource-refs.js';
import type { V1NonResourceAttributes, V1ResourceAttributes } from '../../src/api/generated/types.js';
import { assembleParts } from '../../src/server/parts.js';
import { reviewAttributes } from '../../src/server/registry/authorization/attributes.js';
import type { ServerContext } from '../../src/server/server-context.js';
import { startTestServer, type TestServer } from './server/harness.js';

interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a reference cluster was recorded to decide. */
interface Recorded {
  readonly clusterRoles: readonly string[];
  readonly identities: readonly Identity[];
  readonly requests: readonly (V1ResourceAttributes & V1NonResourceAttributes)[];
  /** A line per identity, a sign per request: `a` allowed, `d` denied, `-` no opinion. */
  readonly decisions: readonly string[];
  readonly reasons: readonly string[];
  /** Identity, request, reason, where there is one for not allowing. */
  readonly whys: readonly (readonly [number, number, number])[];
}

const folder = 'test/differential/access';
const recorded = JSON.parse(gunzipSync(readFileSync(`${folder}/decisions.json.gz`)).toString()) as Recorded;

let server: TestServer;
let context: ServerContext;
beforeAll(async () => {
  server = await startTestServer((given) => assembleParts((context = given)));
  await server.server.ready;
  const objects = load(readFileSync(`${folder}/set-up.yaml`, 'utf8'), { schema: CORE_SCHEMA }) as SetUpObject[];
  for (const object of [...objects, ...roleBindings(recorded.clusterRoles)]) {
    const { code, text } = await server.send('POST', collectionOf(object), { body: object });
    if (code !== 201) throw new Error(`${object.kind} ${object.metadata.name}: ${text}`);
  }
  // Rules are gathered into aggregating roles behind the answer.
  const gathered = (): boolean => context.view.list(CLUSTER_ROLES).some((role) => role.metadata?.name === 'edit' && JSON.stringify(role).includes('gadgets.example.com'));
  while (!gathered()) await new Promise((resolve) => setImmediate(resolve));
});
afterAll(() => server.stop());

const attributesOf = ({ user, groups, extra = {} }: Identity, request: Recorded['requests'][number]) =>
  reviewAttributes({ name: user, uid: '', groups, extra }, request.path ? { nonResourceAttributes: request } : { resourceAttributes: request });
const textOf = (identity: Identity, request: object): string => `${identity.user} [${identity.groups.join(' ')}] ${JSON.stringify(request)}`;

test('everybody may do what upstream lets them do, and nothing else', async () => {
  const differences: string[] = [];
  const whys = new Map(recorded.whys.map(([who, what, why]) => [`${who} ${what}`, recorded.reasons[why]!]));
  let allowed = 0;
  for (const [who, identity] of recorded.identities.entries()) {
    for (const [what, request] of recorded.requests.entries()) {
      const { decision, reason } = await context.authorize(attributesOf(identity, request));
      const mine = decision === 'allow' ? 'a' : decision === 'deny' ? 'd' : '-';
      const theirs = recorded.decisions[who]![what]!;
      if (mine === 'a') allowed++;
      if (mine !== theirs) differences.push(`${textOf(identity, request)}: ${theirs} -> ${mine}`);
      else if (mine !== 'a' && reason !== (whys.get(`${who} ${what}`) ?? '')) differences.push(`${textOf(identity, request)}: "${whys.get(`${who} ${what}`) ?? ''}" -> "${reason}"`);
    }
  }
  expect(differences).toEqual([]);
  expect(recorded.requests.length).toBeGreaterThan(300);
  expect(allowed).toBeGreaterThan(9_000);
});

test('access reviews over HTTPS say the same', async () => {
  for (let index = 0; index < 150; index++) {
    const [who, what] = [(index * 37) % recorded.identities.length, (index * 101) % recorded.requests.length];
    const [identity, request] = [recorded.identities[who]!, recorded.requests[what]!];
    const spec = { ...identity, ...(request.path ? { nonResourceAttributes: request } : { resourceAttributes: request }) };
    const { body } = await server.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec } });
    expect(`${textOf(identity, request)} ${body['status']!['allowed'] as unknown as boolean}`).toBe(`${textOf(identity, request)} ${recorded.decisions[who]![what] === 'a'}`);
  }
});
