import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../base/clock.js';
import { silentLogger, type LogFields } from '../../base/log.js';
import { SeededRandom } from '../../base/random.js';
import { createCertificateAuthority } from '../../base/tls/authority.js';
import { readAbacFile } from './abac-file.js';
import { loadAccess } from './access-options.js';
import type { AccessSettings } from './access-settings.js';
import { readAuthenticationConfig } from './authentication-config.js';
import { readAuthorizationConfig } from './authorization-config.js';
import { readPasswordFile, readTokenFile } from './credential-files.js';
import { parseCsv } from './csv.js';

const fields = (text: string): (readonly string[])[] => parseCsv('f', text).map((record) => record.fields);
const GROUP = 'apiVersion: apiserver.config.k8s.io/v1\nkind: ';

test('CSV as RFC 4180 has it, with lines in errors and no content', () => {
  expect(fields('a,b,c\r\n\n"x,""y""",,"two\nlines"\nlast, blank ,')).toEqual([['a', 'b', 'c'], ['x,"y"', '', 'two\nlines'], ['last', ' blank ', '']]);
  expect(parseCsv('f', 'a\n"b\nc"\nd').map(({ line }) => line)).toEqual([1, 2, 4]);
  expect(() => parseCsv('f', 'a\nsecret"x')).toThrow('f, line 2: a field with a quote in it must stand in quotes');
  expect(() => parseCsv('f', 'a\n\n"secret')).toThrow('f, line 3: a quoted field does not end');
  expect(() => parseCsv('f', '"a"b')).toThrow('f, line 1: a quote inside of a quoted field must be doubled');
});

test('token and password files', () => {
  const warned: [string, LogFields | undefined][] = [];
  const log = { ...silentLogger, warn: (message: string, more?: LogFields) => void warned.push([message, more]) };
  const tokens = readTokenFile('tokens.csv', 't1,jane,u1\n,nobody,u2\nt2,max,u3,"a,b",ignored\nt1,jim,u4,c\n', log);
  expect([...tokens]).toEqual([['t1', { name: 'jim', uid: 'u4', groups: ['c'], extra: {} }], ['t2', { name: 'max', uid: 'u3', groups: ['a', 'b'], extra: {} }]]);
  expect(warned).toEqual([
    ['a line of the token file has no token and is left out', { file: 'tokens.csv', line: 2 }],
    ['a token stands twice in the token file: the later line counts', { file: 'tokens.csv', line: 4 }],
  ]);
  expect(() => readTokenFile('tokens.csv', 'good,a,b\nsecret-token,jane\n', log)).toThrow('tokens.csv, line 2: there must be at least 3 columns (token, user name, user uid), found 2');
  expect(readPasswordFile('p', 'pw,jane,1,"dev"', log).get('jane')).toEqual({ password: 'pw', user: { name: 'jane', uid: '1', groups: ['dev'], extra: {} } });
});

test('policy files: both forms, and where a mistake is', () => {
  const file = [
    '# comment', '',
    '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"alice","namespace":"*","resource":"pods","apiGroup":"*","readonly":true}}',
    '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"group":"*","nonResourcePath":"/healthz*"}}',
    '{"user":"bob","namespace":"team"}', '{"readonly":true}',
  ].join('\n');
  expect(readAbacFile('abac.jsonl', file, silentLogger)).toEqual([
    { user: 'alice', group: '', readonly: true, apiGroup: '*', resource: 'pods', namespace: '*', nonResourcePath: '' },
    { user: '', group: 'system:authenticated', readonly: false, apiGroup: '', resource: '', namespace: '', nonResourcePath: '/healthz*' },
    { user: 'bob', group: '', readonly: false, apiGroup: '*', resource: '*', namespace: 'team', nonResourcePath: '' },
    { user: '', group: 'system:authenticated', readonly: true, apiGroup: '*', resource: '*', namespace: '*', nonResourcePath: '*' },
  ]);
  expect(() => readAbacFile('abac.jsonl', '\n{"user":5}', silentLogger)).toThrow('abac.jsonl, line 2: user must be a string');
  expect(() => readAbacFile('abac.jsonl', '{"user"', silentLogger)).toThrow('abac.jsonl, line 1: not a JSON object');
  expect(() => readAbacFile('abac.jsonl', '{"apiVersion":"v1","kind":"Policy"}', silentLogger)).toThrow('line 1: apiVersion and kind must be abac.authorization.kubernetes.io/v1beta1 and Policy');
});

test.each<[string, string]>([
  ['AuthenticationConfiguration\njwt: [{issuer: {url: "https://x"}}]', 'f: jwt: tokens of outside identity providers are not supported yet'],
  ['AuthenticationConfiguration\nanonymous: {enabled: false, conditions: [{path: /x}]}', 'f: anonymous.conditions: enabled should be set to true'],
  ['AuthenticationConfiguration\nanonymous: {enabled: true, conditions: [{paths: /x}]}', 'f: anonymous.conditions[0].paths: unknown field'],
  ['AuthenticationConfiguration\nanonymous: {enabled: 1}', 'f: anonymous.enabled: must be true or false'],
  ['Other', 'f: kind: must be AuthenticationConfiguration'],
  ['AuthenticationConfiguration\na: [', 'f: not YAML'],
])('authentication configuration %j', (text, message) => {
  expect(() => readAuthenticationConfig('f', GROUP + text)).toThrow(message);
});

test.each<[string, string]>([
  ['authorizers: []', 'f: authorizers: at least one authorization mode must be defined'],
  ['authorizers: [{type: Node, name: a}, {type: Node, name: b}]', 'f: authorizers[1].type: Node is there twice'],
  ['authorizers: [{type: Node, name: a}, {type: RBAC, name: a}]', 'f: authorizers[1].name: "a" is there twice'],
  ['authorizers: [{type: Node, name: A}]', 'f: authorizers[0].name: must be a lower-case DNS subdomain'],
  ['authorizers: [{type: Webhook, name: a}]', 'f: authorizers[0].type: Webhook is not supported yet'],
  ['authorizers: [{type: Foo, name: a}]', 'f: authorizers[0].type: "Foo" is not supported: one of ABAC'],
  ['authorizers: [{type: RBAC, name: a, webhook: {}}]', 'f: authorizers[0].webhook: may only be specified when type=Webhook'],
])('authorization configuration %s', (text, message) => {
  expect(() => readAuthorizationConfig('f', `${GROUP}AuthorizationConfiguration\n${text}`)).toThrow(message);
});

describe('the files together', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kube-access-'));
    const { certificate } = createCertificateAuthority({ commonName: 'front' }, { clock: new FakeClock(), random: new SeededRandom() });
    const files = {
      'ca.crt': certificate, 'junk.crt': 'junk', 'abac.jsonl': '{"user":"a"}',
      'authn.yaml': `${GROUP}AuthenticationConfiguration\nanonymous: {enabled: true, conditions: [{path: /healthz}, {path: /livez}]}`,
      'authz.yaml': `${GROUP}AuthorizationConfiguration\nauthorizers: [{type: ABAC, name: abac}, {type: RBAC, name: rbac}]`,
    };
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const load = (files: AccessSettings, flags: { authorizationModes?: readonly string[]; anonymousAuth?: boolean } = {}) =>
    loadAccess(Object.fromEntries(Object.entries(files).map(([key, value]) => [key, typeof value === 'string' ? join(folder, value) : value])), { authorizationModes: ['Node', 'RBAC'], anonymousAuth: true, ...flags }, silentLogger);
  const requestHeader = (allowedNames: readonly string[] = []) => ({ clientCaFile: join(folder, 'ca.crt'), allowedNames, usernameHeaders: ['X-Remote-User'], uidHeaders: [], groupHeaders: [], extraHeadersPrefixes: [] });

  test('what they say is taken over', async () => {
    expect(await load({})).toEqual({ authorizationModes: ['Node', 'RBAC'], anonymousAuth: true, moreClientCas: '' });
    expect(await load({ authenticationConfig: 'authn.yaml', authorizationConfig: 'authz.yaml', authorizationPolicyFile: 'abac.jsonl' }))
      .toMatchObject({ authorizationModes: ['ABAC', 'RBAC'], anonymousAuth: true, anonymousPaths: ['/healthz', '/livez'], abacPolicies: [{ user: 'a' }] });
    expect(await load({}, { authorizationModes: ['AlwaysAllow'] })).toMatchObject({ anonymousAuth: false });
    expect((await load({ requestHeader: requestHeader(['front']), clientCaFile: 'ca.crt' })).requestHeader?.clientCa).toContain('BEGIN CERTIFICATE');
  });

  test('what does not go together is refused', async () => {
    await expect(load({ authorizationConfig: 'authz.yaml' })).rejects.toThrow('authorization mode ABAC needs --authorization-policy-file');
    await expect(load({ authorizationPolicyFile: 'abac.jsonl' })).rejects.toThrow('--authorization-policy-file is of no use without');
    await expect(load({ authenticationConfig: 'authn.yaml' }, { anonymousAuth: false })).rejects.toThrow('--anonymous-auth does not go with');
    await expect(load({ requestHeader: requestHeader(), clientCaFile: 'ca.crt' })).rejects.toThrow('name the proxies with --requestheader-allowed-names');
    await expect(load({ clientCaFile: 'junk.crt' })).rejects.toThrow('junk.crt: there is no certificate (PEM) in it');
    await expect(load({ tokenAuthFile: 'absent.csv' })).rejects.toThrow(/--token-auth-file: cannot read .*absent.csv: there is no such file/);
    await expect(load({ basicAuthFile: '.' })).rejects.toThrow(/--basic-auth-file: cannot read .*: it is a folder, not a file/);
  });
});
