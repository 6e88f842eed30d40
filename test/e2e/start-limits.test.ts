import { jest } from '@jest/globals';
import { kube, startExecutable, type ExecutableCluster } from '../harness/executable.js';
import { startServerProcess } from '../harness/server-process.js';

jest.setTimeout(120_000);

const LOCK = {
  apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'lock' },
  webhooks: [{
    name: 'lock.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  }],
};
const CHECK = 'poststarthook/rbac/bootstrap-roles (not finished: ';

let cluster: ExecutableCluster;

// What the server makes at its start is missing, and cannot be made: it stays unready for as long as it is patient with that.
beforeAll(async () => {
  cluster = await startExecutable();
  await cluster.kubectl('delete clusterrole view');
  await cluster.kubectl('create -f -', { input: JSON.stringify(LOCK) });
  await cluster.stop();
});
afterAll(() => cluster.remove());

test.each([[['run', 'all', '--simulated-nodes', '1']], [['server']]])('%j of a server that does not get ready ends in time and says which checks fail', async (command) => {
  const { code, stdout } = await kube([...command, '--data-dir', cluster.dataDir, '--secure-port', '0', '--timeout', '2s', '-o', 'json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ event: 'error', code: 'KUBE_NOT_STARTED', message: expect.stringContaining('has not started within 2 s: the server is not ready; health checks that fail: ') });
  expect(stdout).toContain(CHECK);
  expect(stdout).toContain('lock.example.com');
  expect((await kube(['status', '--data-dir', cluster.dataDir])).stdout).toContain('stopped');
});

test('a server that is not ready yet ends when it is told to', async () => {
  const server = startServerProcess({ dataDir: cluster.dataDir });
  while (!server.stderr().includes('post-start hook failed')) await new Promise((resolve) => setTimeout(resolve, 10));
  await server.stop();
  expect(server.child.exitCode).toBe(130);
  await expect(server.ready).rejects.toThrow('ended with 130');
});
