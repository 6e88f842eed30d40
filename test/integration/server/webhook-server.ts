import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../../src/base/clock.js';
import { SystemRandom } from '../../../src/base/random.js';
import { createCertificateAuthority, issueCertificate } from '../../../src/base/tls/authority.js';
import type { Json } from './harness.js';

/** A request that a webhook got. */
export interface Called {
  /** The path, without its slash. */
  readonly name: string;
  readonly query: string;
  readonly request: Json;
}

/** What a webhook answers; undefined: nothing, ever. */
export type Respond = (review: Json) => object | undefined;

export interface WebhookServer {
  readonly port: number;
  /** Base64, for configurations. */
  readonly caBundle: string;
  /** By path; a webhook without an entry allows everything. */
  readonly respond: Map<string, Respond>;
  /** What came since it was last asked, in order. */
  taken(): Called[];
  stop(): void;
}

/** The answer that allows a request, with `more` in the response. */
export function allowed(review: Json, more: object = {}): object {
  return { apiVersion: review['apiVersion'], kind: 'AdmissionReview', response: { uid: review['request']!['uid'], allowed: true, ...more } };
}

/** Allows with a JSON patch. */
export const patched = (...operations: readonly object[]): Respond => (review) =>
  allowed(review, { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') });

/** An HTTPS server with an authority of its own that answers admission reviews. */
export async function startWebhookServer(): Promise<WebhookServer> {
  const authority = createCertificateAuthority({ commonName: 'webhooks' }, { clock: new SystemClock(), random: new SystemRandom() });
  const { certificate, key } = issueCertificate(authority, { commonName: 'hook', usages: ['server'], dnsNames: ['hook.hooks.svc'], ipAddresses: ['127.0.0.1'] });
  const respond = new Map<string, Respond>();
  let calls: Called[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const name = path.slice(1);
      const review = JSON.parse(text) as Json;
      calls.push({ name, query, request: review['request']! });
      const answer = (respond.get(name) ?? ((asked: Json) => allowed(asked)))(review);
      if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    respond,
    taken: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
