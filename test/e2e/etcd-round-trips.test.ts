import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEtcd } from '../harness/etcd.js';
import { RawConnection } from '../harness/raw-connection.js';
import { startServerProcess } from '../harness/server-process.js';

jest.setTimeout(120_000);

const MAPS = '/api/v1/namespaces/default/configmaps';
const COUNT = 40;

/** How many ranges and transactions etcd was asked for. */
async function asked(url: string): Promise<{ readonly ranges: number; readonly transactions: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const number = (method: string): number => Number(new RegExp(`grpc_server_started_total\\{grpc_method="${method}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { ranges: number('Range'), transactions: number('Txn') };
}

test('a write is one transaction of etcd, a read one range; what is refused, or changes nothing, is asked about', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kube-etcd-trips-'));
  const etcd = await startEtcd(['--unsafe-no-fsync']);
  const server = startServerProcess({ dataDir: folder, flags: ['--etcd-servers', etcd.url] });
  try {
    const connection = await RawConnection.open(await server.ready);
    const body = (i: number, value: string): object => ({ metadata: { name: `m${i}` }, data: { value } });
    /** Calls per request, rounded: the server has other things to do as well. */
    const cost = async (method: string, status: number, of: (i: number) => unknown, path: (i: number) => string): Promise<string> => {
      const before = await asked(etcd.url);
      for (let i = 0; i < COUNT; i++) expect((await connection.request(method, path(i), of(i))).status).toBe(status);
      const after = await asked(etcd.url);
      return `${Math.round((after.ranges - before.ranges) / COUNT)} ranges, ${Math.round((after.transactions - before.transactions) / COUNT)} transactions`;
    };
    const one = (i: number): string => `${MAPS}/m${i}`;
    const [write, question] = ['0 ranges, 1 transactions', '1 ranges, 0 transactions'];
    // What the start leaves to do is done first.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await cost('POST', 201, (i) => body(i, 'a'), () => MAPS)).toBe(write);
    expect(await cost('GET', 200, () => undefined, one)).toBe(question);
    expect(await cost('PUT', 200, (i) => body(i, 'b'), one)).toBe(write);
    expect(await cost('PUT', 200, (i) => body(i, 'b'), one)).toBe(question);
    expect(await cost('POST', 409, (i) => body(i, 'b'), () => MAPS)).toBe(write);
    expect(await cost('POST', 201, (i) => body(i + COUNT, 'a'), () => `${MAPS}?fieldManager=x`)).toBe(write);
    expect(await cost('DELETE', 200, () => undefined, one)).toBe(write);
    expect(await cost('DELETE', 404, () => undefined, one)).toBe(question);
    expect(await cost('PUT', 404, (i) => body(i, 'b'), one)).toBe(question);
    expect(await cost('POST', 201, (i) => body(i, 'a'), () => `${MAPS}?dryRun=All`)).toBe(question);
    connection.close();
  } finally {
    await server.stop();
    await etcd.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
