import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPresent, writeAtomically } from '../base/files.js';
import { isAlive, type ProcessIdentity } from '../base/process/alive.js';
import type { DataDirectory } from './data-directory.js';
import { ownIdentity } from './run-state.js';

/** A role that runs as a process of its own, as it notes itself in the data directory of its cluster. */
export interface RoleProcess {
  /** `scheduler`, `controllers` or `node`. */
  readonly role: string;
  readonly process: ProcessIdentity;
  /** Its pods are native containers. */
  readonly native?: boolean;
  /** These go on when it ends, whoever asks it to. */
  readonly keepPods?: boolean;
}

/** Notes this process, so that `kube status`, `stop` and `reset` find it. Returns what takes the note away. */
export async function noteRole(directory: DataDirectory, role: Omit<RoleProcess, 'process'>): Promise<() => Promise<void>> {
  for (const { file, alive } of await notes(directory)) if (!alive) await rm(file, { force: true });
  const file = join(directory.roles, `${role.role}-${process.pid}.json`);
  await writeAtomically(file, `${JSON.stringify({ ...role, process: await ownIdentity() })}\n`);
  return () => rm(file, { force: true });
}

/** The roles that run now as processes of their own. */
export async function runningRoles(directory: DataDirectory): Promise<readonly RoleProcess[]> {
  return (await notes(directory)).filter(({ alive }) => alive).map(({ note }) => note!);
}

/** All notes; one that cannot be read is of no living process. */
async function notes(directory: DataDirectory): Promise<readonly { readonly file: string; readonly note?: RoleProcess; readonly alive: boolean }[]> {
  const names = (await readdir(directory.roles).catch(() => [])).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.sort().map(async (name) => {
      const file = join(directory.roles, name);
      try {
        const note = JSON.parse((await readIfPresent(file)) ?? '') as RoleProcess;
        return { file, note, alive: await isAlive(note.process) };
      } catch {
        return { file, alive: false };
      }
    }),
  );
}
