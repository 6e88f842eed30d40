import { Registry } from 'prom-client';
import { KeyedCounter } from './keyed-counter.js';
import { KeyedHistogram } from './keyed-histogram.js';

test('keyed metrics are written as ordinary ones', async () => {
  const registry = new Registry();
  const counter = new KeyedCounter('requests_total', 'Requests.', ['verb', 'code'], registry);
  const histogram = new KeyedHistogram('seconds', 'Durations.', ['verb'], [0.1, 1], registry);
  const labels = () => ({ verb: 'GET', code: '200' });
  counter.add('GET/200', labels);
  counter.add('GET/200', labels, 2);
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.record('GET', () => ({ verb: 'GET' }), value);
  const text = await registry.metrics();
  expect(text).toContain('# TYPE requests_total counter\nrequests_total{verb="GET",code="200"} 3');
  expect(text).toContain('seconds_bucket{le="0.1",verb="GET"} 2');
  expect(text).toContain('seconds_bucket{le="1",verb="GET"} 3');
  expect(text).toContain('seconds_bucket{le="+Inf",verb="GET"} 4');
  expect(text).toContain('seconds_sum{verb="GET"} 7.65');
  expect(text).toContain('seconds_count{verb="GET"} 4');
});
