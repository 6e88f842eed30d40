import { pathSubresources } from './authorization.js';

test('paths of the agent belong to subresources of its node', () => {
  const of = (path: string): string => pathSubresources(path).join();
  expect([of('/pods'), of('/pods/'), of('/runningpods/'), of('/healthz/ping'), of('/configz'), of('/stats/summary'), of('/metrics/cadvisor'), of('/logs/x')]).toEqual([
    'pods,proxy', 'pods,proxy', 'pods,proxy', 'healthz,proxy', 'configz,proxy', 'stats', 'metrics', 'log',
  ]);
  // Only whole names count.
  expect([of('/podsx'), of('/statsd'), of('/exec/a/b/c'), of('/containerLogs/a/b/c')]).toEqual(['proxy', 'proxy', 'proxy', 'proxy']);
});
