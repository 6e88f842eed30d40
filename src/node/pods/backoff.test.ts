import { BackoffTable } from './backoff.js';

test('10 s, doubled up to five minutes, forgotten after ten minutes of peace', () => {
  const table = new BackoffTable();
  let now = 1_000_000;
  expect(table.remaining('k', now, now)).toBe(0);
  const delays: number[] = [];
  for (let i = 0; i < 7; i++) {
    table.next('k', now, now);
    delays.push(table.delay('k') / 1000);
    now += table.delay('k');
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300]);
  expect(table.remaining('k', now, now + 100_000)).toBe(200_000);
  now += 601_000;
  expect(table.remaining('k', now, now)).toBe(0);
  table.next('k', now, now);
  expect(table.delay('k')).toBe(10_000);
});
