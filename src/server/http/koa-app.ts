import Router from '@koa/router';
import Koa from 'koa';
import type { AnyRequest, AnyResponse } from './connection-identity.js';
import type { RequestHandler } from './request-handler.js';

/** What is no resource; which of these paths exist is the business of the non-resource routes. */
const PATTERNS: readonly string[] = ['/version', '/metrics', '/{:endpoint}', '/{*rest}'];

/**
 * The koa application: an adapter that hands every request to the handler, which writes the answers itself. There is no
 * endpoint beside that one way. Resource requests, which are nearly all, do not meet the router.
 */
export function createKoaApp(handler: RequestHandler): Koa {
  const app = new Koa();
  // The handler reports errors; koa would print them.
  app.silent = true;
  const serve = (ctx: Koa.Context): Promise<void> => {
    ctx.respond = false;
    return handler.serve(ctx.req as AnyRequest, ctx.res as AnyResponse);
  };
  app.use((ctx, next) => (isApiPath(ctx.req.url ?? '') ? serve(ctx) : next()));
  const router = new Router();
  for (const pattern of PATTERNS) router.all(pattern, serve);
  app.use(router.routes());
  // Methods that the router does not know.
  app.use(serve);
  return app;
}

function isApiPath(url: string): boolean {
  return url.startsWith('/api/') || url.startsWith('/apis/');
}
