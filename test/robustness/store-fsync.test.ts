import { jest } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawConnection } from '../harness/raw-connection.js';
import { startServerProcess } from '../harness/server-process.js';
import { tracedAnswers } from './fsync-trace.js';

jest.setTimeout(120_000);

const CONNECTIONS = 8;
const WRITES = 12;
const READS = 5;
const COLLECTION = '/api/v1/namespaces/default/configmaps';

test('every acknowledgement of a write follows a sync of the log that began after the request had arrived', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-fsync-'));
  const output = join(dataDir, 'trace');
  const trace = 'trace=read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,fdatasync,fsync';
  const server = startServerProcess({ dataDir, under: ['strace', '-f', '-yy', '-s', '0', '--seccomp-bpf', '-e', trace, '-o', output] });
  try {
    const target = await server.ready;
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(target)));
    // The control: answers to reads need no sync, and the trace has to show that.
    for (const connection of connections) for (let i = 0; i < READS; i++) expect((await connection.request('GET', COLLECTION)).status).toBe(200);
    await Promise.all(connections.map(async (connection, c) => {
      for (let i = 0; i < WRITES; i++) {
        const name = `map-${c}-${Math.floor(i / 3)}`;
        const path = `${COLLECTION}/${name}`;
        const answer = i % 3 === 0
          ? await connection.request('POST', COLLECTION, { metadata: { name } })
          : i % 3 === 1 ? await connection.request('PUT', path, { metadata: { name }, data: { a: 'b' } }) : await connection.request('DELETE', path);
        expect(answer.status).toBeLessThan(300);
      }
    }));
    const ports = connections.map((connection) => connection.socket.localPort!);
    // Killed with the connections open, so that the last thing on each of them is an answer.
    process.kill(await server.pid, 'SIGKILL');
    await server.exited;
    const answers = tracedAnswers(await readFile(output, 'utf8'), target.port);
    for (const port of ports) {
      const mine = answers.filter((answer) => answer.port === port);
      expect(mine.slice(-WRITES)).toEqual(Array.from({ length: WRITES }, () => ({ port, synced: true })));
      expect(mine.slice(-WRITES - READS, -WRITES).filter((answer) => !answer.synced).length).toBeGreaterThan(0);
    }
    process.stderr.write(`store-fsync: ${CONNECTIONS * WRITES} acknowledgements, each behind its sync\n`);
  } finally {
    await server.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});
