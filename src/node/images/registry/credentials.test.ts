import { credentialsFor, optionsFor } from './credentials.js';
import { parseChallenges } from './challenge.js';
import { proxyFor } from './proxy.js';

const auth = (user: string, password: string): string => Buffer.from(`${user}:${password}`).toString('base64');

test('credentials: by host, by the longest fitting path, under the names of Docker Hub', () => {
  const auths = {
    'https://index.docker.io/v1/': { auth: auth('hub', 'p:w') }, 'r.io': { username: 'all', password: 'x' }, 'r.io/team': { username: 'team', password: 'x' }, 'r.io/team/app': { auth: auth('app', 'x') },
    'id.io': { identitytoken: 'i', auth: auth('<token>', '') }, 'empty.io': {},
  };
  expect(credentialsFor('docker.io', 'library/a', { auths })).toEqual({ username: 'hub', password: 'p:w' });
  expect(credentialsFor('r.io', 'other', { auths })?.username).toBe('all');
  expect(credentialsFor('r.io', 'teams/x', { auths })?.username).toBe('all');
  expect(credentialsFor('r.io', 'team/x', { auths })?.username).toBe('team');
  expect(credentialsFor('r.io', 'team/app', { auths })?.username).toBe('app');
  expect(credentialsFor('id.io', 'a', { auths })).toMatchObject({ identityToken: 'i' });
  for (const host of ['empty.io', 'unknown.io', 'r.io.evil']) expect(credentialsFor(host, 'a', { auths })).toBeUndefined();
  expect(credentialsFor('r.io', 'a', { auths, registries: { 'r.io': { auth: { registryToken: 't' } } } })).toEqual({ username: '', password: '', registryToken: 't' });
  expect(optionsFor('constructor', { registries: { '*': { insecure: true } } })).toEqual({ insecure: true });
});

test('challenges', () => {
  expect(parseChallenges('Bearer realm="https://a/t?x=1,2",service="s \\"q\\"", scope=repository:a:pull , Basic realm="b", Negotiate')).toEqual([
    { scheme: 'bearer', parameters: { realm: 'https://a/t?x=1,2', service: 's "q"', scope: 'repository:a:pull' } }, { scheme: 'basic', parameters: { realm: 'b' } }, { scheme: 'negotiate', parameters: {} },
  ]);
  for (const odd of ['', ',,', '="x"', 'realm="x"', 'Bearer realm="unterminated']) expect(parseChallenges(odd).every(({ parameters }) => !parameters.realm)).toBe(true);
});

test.each([
  ['https://a.b/', 'proxy:1', '', 'http://proxy:1/'], ['https://a.b/', '', '', undefined], ['https://a.b/', 'proxy:1', '*', undefined], ['https://a.b/', 'proxy:1', 'b', undefined], ['https://ab/', 'proxy:1', 'b', 'http://proxy:1/'],
  ['https://b/', 'proxy:1', '.b', 'http://proxy:1/'], ['https://a.b/', 'proxy:1', 'x, .b', undefined], ['https://a.b/', 'proxy:1', '*.b', undefined], ['https://a.b:8/', 'proxy:1', 'a.b:9', 'http://proxy:1/'], ['https://a.b:8/', 'proxy:1', 'a.b:8', undefined],
  ['https://10.1.2.3/', 'proxy:1', '10.0.0.0/8', undefined], ['https://11.1.2.3/', 'proxy:1', '10.0.0.0/8', 'http://proxy:1/'], ['https://[fd00::1]/', 'proxy:1', 'fd00::/8', undefined], ['https://127.0.0.1/', 'proxy:1', '', undefined],
  ['https://localhost:5000/', 'proxy:1', '', undefined],
])('%s with proxy "%s" and exceptions "%s"', (url, https, no, expected) => {
  expect(proxyFor(new URL(url), { https, no })?.href).toBe(expected);
});

test('a proxy of another kind is an error that hides its password', () => {
  expect(() => proxyFor(new URL('https://a/'), { https: 'socks5://u:secret@p:1' })).toThrow('HTTPS_PROXY must be a URL like http://host:port, is "socks5://…@p:1"');
});
