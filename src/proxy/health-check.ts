import { createServer, type Server } from 'node:http';
import type { V1Service } from '../api/generated/types.js';
import { errorMessage } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import type { EventRecorder } from '../reconcile/index.js';

/** What the health-check port of one service tells. */
export interface ServiceHealth {
  readonly service: V1Service;
  readonly port: number;
  /** Ready endpoints on this node. */
  readonly localEndpoints: number;
}

export interface HealthCheckOptions {
  readonly nodeName: string;
  readonly nodeIps: readonly string[];
  readonly log: Logger;
  readonly recorder?: EventRecorder;
}

interface Listening {
  readonly port: number;
  health: ServiceHealth;
  readonly servers: readonly Server[];
}

/** Answers load balancers that ask whether this node has endpoints of a service (`healthCheckNodePort`): 200 or 503. */
export class HealthCheckServers {
  private readonly listening = new Map<string, Listening>();

  constructor(private readonly options: HealthCheckOptions) {}

  /** Sets what a service's port tells, and opens or closes it. A port that cannot be opened leads to an event and is tried again with the next change. */
  async set(key: string, health: ServiceHealth | undefined): Promise<void> {
    const present = this.listening.get(key);
    if (present && present.port === health?.port) {
      present.health = health;
      return;
    }
    if (present) await this.close(key);
    if (health) await this.open(key, health);
  }

  has(key: string): boolean {
    return this.listening.has(key);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.listening.keys()].map((key) => this.close(key)));
  }

  private async open(key: string, health: ServiceHealth): Promise<void> {
    const servers: Server[] = [];
    const entry: Listening = { port: health.port, health, servers };
    try {
      for (const ip of this.options.nodeIps) servers.push(await listen(() => answer(entry.health), health.port, ip));
      this.listening.set(key, entry);
    } catch (error) {
      await Promise.all(servers.map(closed));
      const { nodeName, log, recorder } = this.options;
      log.warn('the health-check port of a service cannot be opened', { service: key, port: health.port, error: errorMessage(error) });
      recorder?.event(health.service, 'Warning', 'FailedToStartServiceHealthcheck', `node ${nodeName} failed to start healthcheck "${key}" on port ${health.port}: ${errorMessage(error)}`, { action: 'Listen' });
    }
  }

  private async close(key: string): Promise<void> {
    const entry = this.listening.get(key);
    this.listening.delete(key);
    await Promise.all((entry?.servers ?? []).map(closed));
  }
}

function answer({ service, localEndpoints }: ServiceHealth): { readonly code: number; readonly endpoints: number; readonly body: string } {
  const name = { namespace: service.metadata?.namespace ?? '', name: service.metadata?.name ?? '' };
  return { code: localEndpoints > 0 ? 200 : 503, endpoints: localEndpoints, body: JSON.stringify({ service: name, localEndpoints, serviceProxyHealthy: true }, undefined, 2) };
}

function listen(reply: () => ReturnType<typeof answer>, port: number, host: string): Promise<Server> {
  const server = createServer((_request, response) => {
    const { code, endpoints, body } = reply();
    response.writeHead(code, { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff', 'X-Load-Balancing-Endpoint-Weight': String(endpoints) });
    response.end(body);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      server.on('error', () => undefined);
      resolve(server);
    });
  });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
