// Debian's docker-registry on a free loopback port, in a folder of its own, for tests of pulls.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePackages } from './debian.mjs';
import { readImages } from './registry-push.mjs';
import { makeCertificate, startTokenService } from './registry-token.mjs';

/** The user of a registry that wants one. */
export const REGISTRY_USER = { username: 'kube', password: 'secret' };

/** bcrypt of the password above. */
const HTPASSWD = 'kube:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';

/**
 * Starts a registry. `auth`: 'none' (default), 'basic' or 'token' (which has anonymous pulls of repositories below `public/`).
 * Resolves with `{host, url, ca, push(tar, name), stop()}`; `ca` is its certificate when `tls` is asked for.
 */
export async function startRegistry({ auth = 'none', tls = false } = {}) {
  await ensurePackages({ 'docker-registry': '/usr/bin/docker-registry', ...(tls || auth === 'token' ? { openssl: '/usr/bin/openssl' } : {}) });
  const folder = await mkdtemp(join(tmpdir(), 'kube-registry-'));
  const stops = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const certificate = tls || auth === 'token' ? await makeCertificate(folder) : undefined;
    const tokens = auth === 'token' ? await startTokenService(certificate, REGISTRY_USER) : undefined;
    if (tokens) stops.push(() => tokens.stop());
    await writeFile(join(folder, 'htpasswd'), HTPASSWD);
    const configuration = {
      version: 0.1, log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
      http: { addr: host, secret: 'test', ...(tls ? { tls: { certificate: certificate.certificateFile, key: certificate.keyFile } } : {}) },
      ...(auth === 'basic' ? { auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } } } : {}),
      ...(tokens ? { auth: { token: { realm: tokens.realm, service: 'test-registry', issuer: 'kube-test', rootcertbundle: certificate.certificateFile } } } : {}),
    };
    // JSON is YAML.
    await writeFile(join(folder, 'config.yml'), JSON.stringify(configuration));
    const child = spawn('docker-registry', ['serve', join(folder, 'config.yml')], { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: 'none' } });
    let said = '';
    child.stderr.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
    const ended = new Promise((resolve) => child.on('close', resolve).on('error', resolve));
    let alive = true;
    ended.then(() => (alive = false));
    stops.push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const ca = certificate && (await readFile(certificate.certificateFile, 'utf8'));
    const url = `${tls ? 'https' : 'http'}://${host}`;
    const send = (method, path, { headers = {}, body } = {}) => exchange(method, new URL(path, url), { headers, body, ca });
    for (let tries = 0; ; tries++) {
      if (!alive || tries > 200) throw new Error(`docker-registry did not start: ${said}`);
      if (await send('GET', '/v2/').then(() => true, () => false)) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const authorize = async (repository) => {
      if (auth === 'basic') return { authorization: `Basic ${Buffer.from(`${REGISTRY_USER.username}:${REGISTRY_USER.password}`).toString('base64')}` };
      if (tokens) return { authorization: `Bearer ${tokens.issue(`repository:${repository}:pull,push`)}` };
      return {};
    };
    /** Pushes the images of an archive as `<host>/<name>`, default their own names; resolves with `[{reference, digest}]`. */
    const push = async (archive, name) => {
      const pushed = [];
      for (const image of await readImages(archive)) {
        const path = (name ?? image.name).replace(/^(?:localhost|[^/]*[.:][^/]*)\//, (first) => (name ? first : ''));
        const colon = path.lastIndexOf(':');
        const [repository, tag] = [path.slice(0, colon), path.slice(colon + 1)];
        const headers = await authorize(repository);
        for (const [digest, bytes] of image.blobs) {
          const begun = expect(await send('POST', `/v2/${repository}/blobs/uploads/`, { headers }), 202);
          const location = new URL(begun.headers.location, url);
          location.searchParams.set('digest', digest);
          expect(await exchange('PUT', location, { headers: { ...headers, 'content-type': 'application/octet-stream' }, body: bytes, ca }), 201);
        }
        for (const { digest, mediaType, bytes, top } of image.manifests) {
          expect(await send('PUT', `/v2/${repository}/manifests/${top ? tag : digest}`, { headers: { ...headers, 'content-type': mediaType }, body: bytes }), 201);
          if (top) pushed.push({ reference: `${host}/${repository}:${tag}`, digest });
        }
      }
      return pushed;
    };
    return { host, url, ca, push, stop, identityToken: tokens?.identityToken };
  } catch (error) {
    await stop();
    throw error;
  }
}

function expect(response, status) {
  if (response.status !== status) throw new Error(`the registry answered ${response.status}: ${response.body.toString().slice(0, 500)}`);
  return response;
}

function exchange(method, url, { headers, body, ca }) {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, { method, headers: { ...headers, 'content-length': body?.length ?? 0 }, ca, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A port of 127.0.0.1 that nobody listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
