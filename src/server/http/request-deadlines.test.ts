import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { FakeClock } from '../../base/clock.js';
import { RequestDeadlines } from './request-deadlines.js';

function responses(count: number): ServerResponse[] {
  return Array.from({ length: count }, () => new ServerResponse(new IncomingMessage(new Socket())));
}

test('requests end with 504 at the limit of the server or at that of the client, if it is shorter', async () => {
  const clock = new FakeClock();
  const deadlines = new RequestDeadlines(clock, 60_000);
  const [plain, short, long, done] = responses(4) as [ServerResponse, ServerResponse, ServerResponse, ServerResponse];
  deadlines.begin(plain, clock.monotonic(), undefined);
  deadlines.begin(short, clock.monotonic(), 500);
  deadlines.begin(long, clock.monotonic(), 180_000);
  deadlines.begin(done, clock.monotonic(), 400);
  deadlines.end(done);
  await clock.advance(501);
  expect([plain, short, long, done].map(({ headersSent, statusCode }) => (headersSent ? statusCode : undefined))).toEqual([undefined, 504, undefined, undefined]);
  await clock.advance(61_000);
  expect([plain, long, done].map(({ headersSent, statusCode }) => (headersSent ? statusCode : undefined))).toEqual([504, 504, undefined]);
  expect(clock.pending).toBe(0);
});
