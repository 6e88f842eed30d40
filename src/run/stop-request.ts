import { rm } from 'node:fs/promises';
import { readIfPresent, writeAtomically } from '../base/files.js';
import type { DataDirectory } from './data-directory.js';

/** How a running cluster is to stop: left in the data directory by who asks for it, before the signal. */
export interface StopRequest {
  /** Native containers go on. */
  readonly keepPods?: boolean;
  /** Longest time for pods to end, in seconds. */
  readonly graceSeconds?: number;
}

export async function writeStopRequest(directory: DataDirectory, request: StopRequest): Promise<void> {
  await writeAtomically(directory.stopRequest, `${JSON.stringify(request)}\n`);
}

/** Reads the request; without one, or with one that cannot be read, everything is as usual. */
export async function readStopRequest(directory: DataDirectory): Promise<StopRequest> {
  const text = await readIfPresent(directory.stopRequest);
  try {
    const request = JSON.parse(text ?? '{}') as StopRequest;
    return {
      ...(typeof request.keepPods === 'boolean' ? { keepPods: request.keepPods } : {}),
      ...(typeof request.graceSeconds === 'number' ? { graceSeconds: request.graceSeconds } : {}),
    };
  } catch {
    return {};
  }
}

/** Removes a request: who wrote it does so in the end, and who starts removes one that was left. */
export async function clearStopRequest(directory: DataDirectory): Promise<void> {
  await rm(directory.stopRequest, { force: true });
}
