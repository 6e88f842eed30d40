// The whole architecture in one table: who may import whom (type-only imports count too).
export const LAYERS = {
  cli: ['run', 'base'],
  run: ['server', 'scheduler', 'controllers', 'node', 'proxy', 'dns', 'client', 'storage', 'api', 'base', 'reconcile'],
  server: ['storage', 'client', 'api', 'base'],
  scheduler: ['reconcile', 'client', 'api', 'base'],
  controllers: ['reconcile', 'client', 'cloud', 'api', 'base'],
  node: ['reconcile', 'client', 'api', 'base'],
  proxy: ['reconcile', 'client', 'api', 'base'],
  dns: ['reconcile', 'client', 'api', 'base'],
  cloud: ['api', 'base'],
  reconcile: ['client', 'api', 'base'],
  client: ['api', 'base'],
  storage: ['base'],
  api: ['base'],
  base: [],
};

/** Layers of which any file may be imported; the others are entered through their index.ts. */
export const OPEN = ['api', 'base'];
