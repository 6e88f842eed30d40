import type { ApiResponse } from '../handler/api-request.js';
import { errorMessage } from '../../base/errors.js';
import { HealthMetrics } from './health-metrics.js';
import { textResponse } from './text-response.js';

/** One health check; throws (or rejects) when it fails. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

/** A check that does not hold. */
export interface FailingCheck {
  readonly name: string;
  readonly reason: string;
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

  /** The checks of an endpoint that fail now, with the reason and its cause; for the operator's eyes, not for the wire. */
  async failing(endpoint: HealthEndpoint): Promise<readonly FailingCheck[]> {
    const answers = await Promise.all(this.checks[endpoint].map(async (check) => ({ name: check.name, reason: await failure(check, true) })));
    return answers.filter((answer): answer is FailingCheck => answer.reason !== undefined);
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
    // Upstream leaves it to browsers to guess what it is.
    if (error === undefined) return { type: 'bytes', code: 200, mediaType: 'text/plain; charset=utf-8', bytes: Buffer.from('ok') };
    return textResponse(500, `internal server error: ${error}\n`);
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

async function failure(check: HealthCheck, withCause = false): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    const cause = withCause && error instanceof Error ? error.cause : undefined;
    return errorMessage(error) + (cause === undefined ? '' : `: ${errorMessage(cause)}`);
  }
}
