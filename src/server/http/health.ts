import type { ApiResponse } from '../handler/api-request.js';
import { HealthMetrics } from './health-metrics.js';
import { textResponse } from './text-response.js';

/** One health check; throws (or rejects) when it fails. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** `/healthz`, `/livez` and `/readyz`, each with its checks and `/<endpoint>/<check>` for one of them. */
export class Health {
  /** What `/metrics/slis` tells: the checks that were made, as upstream only those of whole endpoints. */
  readonly metrics = new HealthMetrics();
  private readonly checks: Record<HealthEndpoint, HealthCheck[]> = { healthz: [], livez: [], readyz: [] };

  /** Adds a check, by default to all endpoints. */
  add(check: HealthCheck, endpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz']): void {
    for (const endpoint of endpoints) this.checks[endpoint].push(check);
  }

  /** All paths, for the list at `/`. */
  paths(): string[] {
    return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) => [`/${endpoint}`, ...this.checks[endpoint].map(({ name }) => `/${endpoint}/${name}`)]);
  }

  /** Undefined when there is no such path. */
  async handle(path: string, query: URLSearchParams): Promise<ApiResponse | undefined> {
    const [, endpoint = '', ...rest] = path.split('/');
    if (endpoint !== 'healthz' && endpoint !== 'livez' && endpoint !== 'readyz') return undefined;
    if (rest.length === 0) return this.all(endpoint, query);
    const name = rest.join('/');
    const check = this.checks[endpoint].find((candidate) => candidate.name === name);
    return check && this.one(check);
  }

  private async one(check: HealthCheck): Promise<ApiResponse> {
    const error = await failure(check);
    return error === undefined ? textResponse(200, 'ok') : textResponse(500, `internal server error: ${error}\n`);
  }

  private async all(endpoint: HealthEndpoint, query: URLSearchParams): Promise<ApiResponse> {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    const failed: string[] = [];
    for (const check of this.checks[endpoint]) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const healthy = (await failure(check)) === undefined;
      this.metrics.observe(check.name, endpoint, healthy);
      if (healthy) lines.push(`[+]${check.name} ok`);
      else {
        lines.push(`[-]${check.name} failed: reason withheld`);
        failed.push(check.name);
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].sort().map((name) => JSON.stringify(name)).join(',');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    if (failed.length > 0) return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
    return query.has('verbose') ? textResponse(200, `${lines.join('\n')}\n${endpoint} check passed\n`) : textResponse(200, 'ok');
  }
}

async function failure(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
