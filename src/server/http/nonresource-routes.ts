import { pathNotFoundError } from '../../api/status-error.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import type { ApiCore } from '../handler/api-core.js';
import { methodError } from '../handler/method-error.js';
import type { Health } from './health.js';
import { pageNotFound } from './text-response.js';

/** Answers requests of one path, or of a path and everything below it. */
export interface NonResourceRoute {
  /** `/version`, or `/openapi/v3/*` for everything below. */
  readonly path: string;
  /** Served by what is upstream's router: other methods are refused with 405, and slashes may follow; default: any method is answered alike, but no other path. */
  readonly getOnly?: boolean;
  handle(request: ApiRequest): ApiResponse | undefined | Promise<ApiResponse | undefined>;
}

/** The paths that are no resources: exact ones in a map, and a few that cover what is below them. */
export class NonResourceRoutes {
  private readonly exact = new Map<string, NonResourceRoute>();
  private readonly below: { readonly prefix: string; readonly route: NonResourceRoute }[] = [];

  constructor(
    private readonly core: ApiCore,
    private readonly health: Health,
  ) {}

  add(route: NonResourceRoute): void {
    if (route.path.endsWith('/*')) this.below.push({ prefix: route.path.slice(0, -1), route });
    else this.exact.set(route.path, route);
  }

  /** Answers an authorized request; a page that nobody knows is a 404 in plain text. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    const { path } = request.info;
    if (path === '/' || path === '/index.html') return this.index();
    const bare = path.replace(/\/+$/, '');
    const route = this.exact.get(path) ?? this.routed(bare) ?? this.below.find(({ prefix }) => path.startsWith(prefix))?.route;
    if (route?.getOnly && request.method !== 'GET') throw methodError();
    if (route) return (await route.handle(request)) ?? pageNotFound();
    if (this.routedAbove(path)) throw pathNotFoundError();
    return (await this.health.handle(path, request.query)) ?? pageNotFound();
  }

  private routed(path: string): NonResourceRoute | undefined {
    const route = this.exact.get(path);
    return route?.getOnly ? route : undefined;
  }

  /** The router has what is below its paths, too, and finds nothing there. */
  private routedAbove(path: string): boolean {
    for (const route of this.exact.values()) if (route.getOnly && path.startsWith(`${route.path}/`)) return true;
    return false;
  }

  private index(): ApiResponse {
    const paths = [...this.exact.keys(), ...this.health.paths(), ...groupPaths(this.core)];
    // In this form, whatever the client accepts.
    return { type: 'bytes', code: 200, mediaType: 'application/json', bytes: Buffer.from(JSON.stringify({ paths: [...new Set(paths)].sort() }, undefined, 2)) };
  }
}

function groupPaths(core: ApiCore): string[] {
  const paths = new Set<string>();
  for (const { facts } of core.scheme.resources) {
    paths.add(facts.group === '' ? `/api/${facts.version}` : `/apis/${facts.group}`);
    if (facts.group !== '') paths.add(`/apis/${facts.group}/${facts.version}`);
  }
  return ['/api', '/apis', '/apis/', ...paths];
}
