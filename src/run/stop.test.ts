import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from '../base/files.js';
import { identifyProcess } from '../base/process/alive.js';
import { DataDirectory } from './data-directory.js';
import { writeRunState } from './run-state.js';
import { stopCluster } from './stop.js';

const GO_ON = /^pods go on: the next start with --data-dir .* takes them up again, "kube reset --data-dir .*" ends them$/;

test.each([
  ['native', false, {}, undefined],
  ['native', false, { keepPods: true }, GO_ON],
  ['native', true, {}, GO_ON],
  // Nothing runs in simulated pods.
  ['sim', true, { keepPods: true }, undefined],
])('of a cluster with %s pods, keeping them: %j, that is asked for %j it is said whether pods go on', async (containerRuntime, keepPods, request, message) => {
  const directory = new DataDirectory(await mkdtemp(join(tmpdir(), 'kube-stop-')));
  const child = spawn('sleep', ['60']);
  const identity = (await identifyProcess(child.pid!))!;
  await writeRunState(directory, { process: identity, version: '1', kubeconfig: directory.kubeconfig, containerRuntime, keepPods, components: [], startedAt: '' });
  const result = await stopCluster(directory, 10_000, request);
  expect(result).toEqual({ state: 'stopped', pid: child.pid, dataDir: directory.path, roles: [], ...(message ? { message: expect.stringMatching(message) } : {}) });
  expect(await exists(directory.stopRequest)).toBe(false);
  await rm(directory.path, { recursive: true });
});
