import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, run } from '../harness/executable.js';
import { RawConnection } from '../harness/raw-connection.js';
import { startServerProcess, type ServerProcess } from '../harness/server-process.js';

jest.setTimeout(120_000);

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const DISK_MEGABYTES = 20;
/** Opening the database again moves its log, of 4 MB at most, into a table: so much has to be free. */
const BALLAST_MEGABYTES = 8;
/** Tables are compressed; this does not get smaller. */
const value = (): string => randomBytes(30_000).toString('hex');

/** Runs a program that has to succeed. */
async function must(file: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(file, args);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} failed (this test needs root): ${stderr}`);
}

test('on a full disk writes are refused clearly and reads go on; nothing acknowledged is lost', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-full-'));
  await must('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', dataDir]);
  const ballast = join(dataDir, 'ballast');
  const acknowledged = new Map<string, string>();
  let server: ServerProcess | undefined;

  const create = async (connection: RawConnection, name: string): Promise<{ status: number; text: string }> => {
    const { status, body } = await connection.request('POST', COLLECTION, { metadata: { name }, data: { value: value() } });
    const text = body.toString();
    if (status === 201) acknowledged.set(name, (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    return { status, text };
  };
  const expectAll = async (connection: RawConnection): Promise<void> => {
    const { status, body } = await connection.request('GET', COLLECTION);
    expect(status).toBe(200);
    const found = (JSON.parse(body.toString()) as { items: { metadata: { name: string; resourceVersion: string } }[] }).items;
    const versions = new Map(found.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    for (const [name, revision] of acknowledged) expect({ name, revision: versions.get(name) }).toEqual({ name, revision });
  };

  try {
    await writeFile(ballast, Buffer.alloc(BALLAST_MEGABYTES << 20, 1));
    server = startServerProcess({ dataDir });
    const connection = await RawConnection.open(await server.ready);
    let refused: { status: number; text: string } | undefined;
    for (let i = 0; i < 500 && !refused; i++) {
      const answer = await create(connection, `map-${i}`);
      if (answer.status !== 201) refused = answer;
    }
    // 503 is what the store says whenever nothing was written, 504 when the outcome is not known.
    expect([503, 504]).toContain(refused?.status);
    expect(refused!.text).toContain('no space left');

    for (let i = 0; i < 20; i++) {
      const answer = await create(connection, `late-${i}`);
      if (answer.status === 201) continue;
      expect([503, 504]).toContain(answer.status);
      expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
    }
    await expectAll(connection);
    expect((await connection.request('GET', '/livez')).status).toBe(200);

    await rm(ballast);
    await eventually(async () => (await create(connection, `again-${acknowledged.size}`)).status === 201, 'a write after space was freed', 20_000);
    await expectAll(connection);
    connection.close();

    // What was acknowledged is on the disk, too.
    await server.kill();
    server = startServerProcess({ dataDir });
    const second = await RawConnection.open(await server.ready);
    await expectAll(second);
    second.close();
    process.stderr.write(`disk-full: ${acknowledged.size} writes acknowledged; the first refusal: ${refused!.text.slice(0, 250)}\n`);
  } finally {
    await server?.kill();
    await must('umount', [dataDir]);
    await rm(dataDir, { recursive: true, force: true });
  }
});
