import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { SystemClock, type Clock } from '../../../src/base/clock.js';
import { noFailpoints } from '../../../src/base/failpoint.js';
import { silentLogger } from '../../../src/base/log.js';
import { SystemRandom } from '../../../src/base/random.js';
import { createCertificateAuthority, issueCertificate, type CertificatePair } from '../../../src/base/tls/authority.js';
import { generateEcKeyPair } from '../../../src/base/tls/keys.js';
import { MemoryStore, type Store } from '../../../src/storage/index.js';
import { createApiServer, type ApiServer, type ApiServerOptions, type ServerContext, type ServerParts } from '../../../src/server/index.js';

/** An answer, decoded where it is JSON. */
export interface Answer {
  readonly code: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** As they came, decompressed. */
  readonly bytes: Buffer;
  readonly body: Json;
}

export interface SendOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly admin: CertificatePair;
  readonly ca: string;
  send(method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** The response as it comes, for watches. */
  open(path: string, options?: SendOptions): Promise<IncomingMessage>;
  stop(): Promise<void>;
}

/** Parts that allow everything, for tests of the generic server. */
export function openParts(more: Partial<ServerParts> = {}): (context: ServerContext) => ServerParts {
  return () => ({
    authenticators: [{ name: 'everyone', authenticate: () => ({ name: 'tester', uid: '', groups: ['system:masters'], extra: {} }) }],
    authorizers: [{ name: 'all', authorize: () => ({ decision: 'allow', reason: '' }) }],
    admission: [],
    handlers: [],
    hooks: new Map(),
    postStart: [],
    healthChecks: [],
    ...more,
  });
}

/** Decoded JSON that a test looks into. */
export interface Json {
  readonly [key: string]: Json & string & number & boolean & readonly Json[];
}

/** A real server on the memory store: real HTTPS on a free port of the loopback interface. */
export async function startTestServer(assemble: ((context: ServerContext) => ServerParts) | undefined = openParts(), overrides: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const clock: Clock = new SystemClock();
  const random = new SystemRandom();
  const authority = createCertificateAuthority({ commonName: 'kubernetes' }, { clock, random });
  const serving = issueCertificate(authority, { commonName: 'kube-apiserver', usages: ['server'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const admin = issueCertificate(authority, { commonName: 'kubernetes-admin', organizations: ['system:masters'], usages: ['client'] });
  const store = new MemoryStore(clock);
  const options: ApiServerOptions = {
    bindAddress: '127.0.0.1', securePort: 0, advertiseAddress: '192.0.2.1', serving, clientCa: authority.certificate, servingCa: authority.certificate,
    serviceAccountIssuer: 'https://kubernetes.default.svc.cluster.local', serviceAccountSigningKey: generateEcKeyPair().privateKey, serviceAccountKeys: [],
    apiAudiences: ['https://kubernetes.default.svc.cluster.local'], serviceClusterIpRange: '10.96.0.0/16', serviceNodePortRange: { from: 30000, to: 32767 },
    authorizationModes: ['Node', 'RBAC'], anonymousAuth: true, enableAdmissionPlugins: [], disableAdmissionPlugins: [], eventTtlSeconds: 3600,
    maxRequestBodyBytes: 3 * 1024 * 1024, requestTimeoutMilliseconds: 60_000, kubeletClient: { certificate: '', key: '', ca: '' },
    ...overrides,
  };
  const server = createApiServer(options, { store, clock, random, log: silentLogger, metrics: new Registry(), failpoints: noFailpoints }, assemble);
  await server.start(new AbortController().signal);
  const agent = new Agent({ keepAlive: true, ca: authority.certificate, cert: admin.certificate, key: admin.key });

  const open = (method: string, path: string, { body, headers = {} }: SendOptions = {}): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const request = httpsRequest({ host: '127.0.0.1', port: server.address.port, method, path, agent, headers: { 'user-agent': 'test', ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }), ...headers } }, resolve);
      request.on('error', reject);
      request.end(bytes);
    });

  return {
    server,
    store,
    admin,
    ca: authority.certificate,
    open: (path, sent) => open('GET', path, sent),
    send: async (method, path, sent) => {
      const response = await open(method, path, sent);
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const sentBytes = Buffer.concat(chunks);
      const bytes = response.headers['content-encoding'] === 'gzip' ? gunzipSync(sentBytes) : sentBytes;
      const text = bytes.toString();
      const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
      return { code: response.statusCode ?? 0, headers: response.headers, text, bytes, body: (isJson && text !== '' ? JSON.parse(text.trimEnd().split('\n').length > 1 && text.startsWith('{"type"') ? 'null' : text) : {}) as Json };
    },
    stop: async () => {
      agent.destroy();
      await server.stop(1_000);
      await store.close();
    },
  };
}
