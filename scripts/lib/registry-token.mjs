// The token service of a test registry (the distribution project's token authentication).
import { createSign, randomUUID, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { run } from './debian.mjs';

/** Makes a self-signed certificate for 127.0.0.1 in a folder. */
export async function makeCertificate(folder) {
  const keyFile = join(folder, 'key.pem');
  const certificateFile = join(folder, 'certificate.pem');
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile, '-out', certificateFile, '-days', '3650', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']);
  return { keyFile, certificateFile };
}

/** Gives tokens: to the user for everything, to others for pulls below `public/`. Tokens are valid for a minute. */
export async function startTokenService({ keyFile, certificateFile }, { username, password }) {
  const key = await readFile(keyFile);
  const x5c = [new X509Certificate(await readFile(certificateFile)).raw.toString('base64')];
  const identityToken = `identity-${randomUUID()}`;
  const encode = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const issue = (scope, allowed = true) => {
    const [type, name, actions] = scope.split(':');
    const mine = allowed ? actions.split(',') : name.startsWith('public/') ? ['pull'] : [];
    const now = Math.floor(Date.now() / 1000);
    const body = `${encode({ typ: 'JWT', alg: 'ES256', x5c })}.${encode({
      iss: 'kube-test', sub: allowed ? username : '', aud: 'test-registry', exp: now + 60, nbf: now - 10, iat: now, jti: randomUUID(), access: mine.length > 0 ? [{ type, name, actions: mine }] : [],
    })}`;
    return `${body}.${createSign('SHA256').update(body).sign({ key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const server = createServer(async (request, response) => {
    const answer = (status, json) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    if (request.method === 'POST') {
      let text = '';
      for await (const chunk of request) text += chunk;
      const form = new URLSearchParams(text);
      if (form.get('grant_type') !== 'refresh_token' || form.get('refresh_token') !== identityToken) return answer(401, { details: 'wrong token' });
      return answer(200, { access_token: issue(form.get('scope')), expires_in: 60 });
    }
    const { authorization } = request.headers;
    const known = authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    if (authorization && !known) return answer(401, { details: 'wrong password' });
    return answer(200, { token: issue(new URL(request.url, 'http://local').searchParams.get('scope') ?? '::', known), expires_in: 60 });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    realm: `http://127.0.0.1:${server.address().port}/token`, issue, identityToken,
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
