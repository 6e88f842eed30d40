import { SERVICE_ACCOUNTS } from '../api/resource-refs.js';
import { StatusError } from '../api/status-error.js';
import type { AuthenticationV1TokenRequest } from '../api/generated/types.js';
import { createClient, HttpTransport, type Client, type HttpConnection } from '../client/index.js';
import type { RunEnvironment } from './environment.js';

const NAMESPACE = 'kube-system';
const LIFETIME_SECONDS = 3600;
/** A token is replaced after this part of its life. */
const RENEW_AT = 0.8;

interface Token {
  readonly value: string;
  /** Monotonic milliseconds. */
  readonly renewAt: number;
}

/** Clients that act as service accounts of `kube-system`, with tokens asked for and renewed as needed. */
export class ServiceAccountClients {
  private readonly transports = new Map<string, HttpTransport>();

  constructor(
    private readonly connection: HttpConnection,
    /** May create service accounts and their tokens. */
    private readonly client: Client,
    private readonly environment: RunEnvironment,
  ) {}

  clientFor(name: string): Client {
    let transport = this.transports.get(name);
    if (!transport) {
      const { server, ca } = this.connection;
      transport = new HttpTransport({ server, ...(ca ? { ca } : {}), token: this.tokenSource(name), userAgent: `kube-controller-manager/${name}` });
      this.transports.set(name, transport);
    }
    return createClient(transport);
  }

  async close(): Promise<void> {
    await Promise.all([...this.transports.values()].map((transport) => transport.close()));
  }

  private tokenSource(name: string): () => Promise<string> {
    let current: Promise<Token> | undefined;
    return async () => {
      const token = await current?.catch(() => undefined);
      if (token && token.renewAt > this.environment.clock.monotonic()) return token.value;
      current = this.request(name);
      return (await current).value;
    };
  }

  private async request(name: string): Promise<Token> {
    const accounts = this.client.resource(SERVICE_ACCOUNTS);
    await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } }).catch((error: unknown) => {
      if (!StatusError.is(error, 'AlreadyExists')) throw error;
    });
    const answer = await accounts.createSubresource<AuthenticationV1TokenRequest>(NAMESPACE, name, 'token', {
      apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: LIFETIME_SECONDS, audiences: [] },
    });
    return { value: answer.status!.token!, renewAt: this.environment.clock.monotonic() + LIFETIME_SECONDS * 1000 * RENEW_AT };
  }
}
