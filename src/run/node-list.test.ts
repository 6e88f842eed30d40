import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectory } from './data-directory.js';
import { listNodes } from './node-list.js';
import { ownIdentity, writeRunState } from './run-state.js';

test('a server that answers with an error is told in one line, as an error of this program', async () => {
  const server = http.createServer((_request, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'ServiceUnavailable', message: 'the store is away', code: 503 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const directory = new DataDirectory(await mkdtemp(join(tmpdir(), 'kube-nodes-')));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const named = (key: string, value: object): object[] => [{ name: 'kube', [key]: value }];
    await writeFile(directory.kubeconfig, JSON.stringify({
      'clusters': named('cluster', { server: url }), 'users': named('user', { token: 't' }),
      'contexts': named('context', { cluster: 'kube', user: 'kube' }), 'current-context': 'kube',
    }));
    await writeRunState(directory, { process: await ownIdentity(), version: '0', server: url, kubeconfig: directory.kubeconfig, components: [], startedAt: '2026-01-01T00:00:00Z' });
    await expect(listNodes(directory)).rejects.toMatchObject({
      code: 'KUBE_UNREACHABLE', message: `the cluster in ${directory.path} does not answer as it should: the store is away`,
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(directory.path, { recursive: true });
  }
});
