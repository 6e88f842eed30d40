import { Health } from './health.js';

test('checks of whole endpoints are counted, with the last result of each', async () => {
  const health = new Health();
  let broken = true;
  health.add({ name: 'ping', check: () => undefined });
  health.add({ name: 'store', check: () => (broken ? Promise.reject(new Error('away')) : undefined) }, ['readyz']);
  const ask = async (path: string, query = '') => {
    const answer = await health.handle(path, new URLSearchParams(query));
    return answer?.type === 'bytes' ? answer.code : undefined;
  };
  expect([await ask('/readyz'), await ask('/livez'), await ask('/readyz', 'exclude=store'), await ask('/readyz/store')]).toEqual([500, 200, 200, 500]);
  broken = false;
  expect([await ask('/readyz'), await ask('/readyz/none'), await ask('/readyz/'), await ask('/readyz/store/')]).toEqual([200, undefined, undefined, undefined]);
  const lines = (await health.metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('kubernetes_'));
  expect(new Set(lines)).toEqual(
    new Set([
      'kubernetes_healthcheck{name="ping",type="livez"} 1',
      'kubernetes_healthcheck{name="ping",type="readyz"} 1',
      'kubernetes_healthcheck{name="store",type="readyz"} 1',
      'kubernetes_healthchecks_total{name="ping",type="livez",status="success"} 1',
      'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"} 3',
      'kubernetes_healthchecks_total{name="store",type="readyz",status="error"} 1',
      'kubernetes_healthchecks_total{name="store",type="readyz",status="success"} 1',
    ]),
  );
});

test('checks that cannot be left out are named in order', async () => {
  const health = new Health();
  health.add({ name: 'ping', check: () => undefined });
  const answer = await health.handle('/livez', new URLSearchParams('verbose&exclude=y&exclude=ping&exclude=x'));
  expect(answer?.type === 'bytes' && String(answer.bytes)).toBe('[+]ping excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x","y"\nlivez check passed\n');
});

test('only the answers of whole endpoints say that browsers are not to guess', async () => {
  const health = new Health();
  health.add({ name: 'ping', check: () => undefined });
  const headers = async (path: string) => ((await health.handle(path, new URLSearchParams())) as { headers?: object }).headers;
  expect([await headers('/livez'), await headers('/livez/ping')]).toEqual([{ 'X-Content-Type-Options': 'nosniff' }, undefined]);
});
