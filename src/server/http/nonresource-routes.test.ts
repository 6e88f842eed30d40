import type { ApiCore } from '../handler/api-core.js';
import type { ApiRequest } from '../handler/api-request.js';
import type { Health } from './health.js';
import { NonResourceRoutes } from './nonresource-routes.js';

test('slashes may follow the paths of the router alone', async () => {
  const routes = new NonResourceRoutes({} as ApiCore, { handle: () => undefined } as unknown as Health);
  const handle = () => ({ type: 'bytes', code: 200, mediaType: '', bytes: Buffer.alloc(0) }) as const;
  routes.add({ path: '/version', getOnly: true, handle });
  routes.add({ path: '/metrics', handle });
  const code = async (path: string): Promise<number> => ((await routes.handle({ method: 'GET', info: { path } } as ApiRequest)) as { code: number }).code;
  expect(await Promise.all(['/version', '/version/', '/version//', '/metrics', '/metrics/', '/metrics/more'].map(code))).toEqual([200, 200, 200, 200, 404, 404]);
  // Nothing is below them, which is said by the router, too.
  await expect(code('/version/more')).rejects.toThrow('the server could not find the requested resource');
});
