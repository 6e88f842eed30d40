import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode, errorMessage, KubeError } from '../base/errors.js';
import { makeFolder } from '../base/files.js';

/** Where everything of one cluster lies. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  get database(): string {
    return join(this.path, 'db');
  }

  get pki(): string {
    return join(this.path, 'pki');
  }

  /** The administrator's kubeconfig. */
  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  /** Kubeconfig of a role that runs as a process of its own. */
  roleKubeconfig(role: string): string {
    return join(this.path, 'kubeconfigs', `${role}.conf`);
  }

  /** What runs now; see `RunState`. */
  get state(): string {
    return join(this.path, 'run.json');
  }

  /** Notes of the roles that run as processes of their own; see `RoleProcess`. */
  get roles(): string {
    return join(this.path, 'roles');
  }

  /** Kubeconfig files elsewhere that have a context of this cluster; see `mergedFiles`. */
  get mergedFiles(): string {
    return join(this.path, 'merged-kubeconfigs.json');
  }

  /** How the running cluster is to stop; see `StopRequest`. */
  get stopRequest(): string {
    return join(this.path, 'stop.json');
  }

  get log(): string {
    return join(this.path, 'kube.log');
  }

  /** Makes the folder, private to the user. Throws `KUBE_DATA_DIRECTORY` with what to do about it. */
  async prepare(): Promise<void> {
    try {
      await makeFolder(this.path);
      if (!(await stat(this.path)).isDirectory()) throw Object.assign(new Error('it is a file'), { code: 'ENOTDIR' });
      await access(this.path, constants.W_OK | constants.X_OK);
    } catch (error) {
      const why = errorCode(error) === 'EACCES' ? 'permission denied' : errorCode(error) === 'ENOTDIR' || errorCode(error) === 'EEXIST' ? 'a part of the path is a file' : errorMessage(error);
      throw new KubeError('KUBE_DATA_DIRECTORY', `cannot use the data directory ${this.path}: ${why}; choose another one with --data-dir`);
    }
  }
}

/** `/var/lib/kube` for root, otherwise `$XDG_DATA_HOME/kube` (`~/.local/share/kube`). */
export function defaultDataDirectory(environment: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return '/var/lib/kube';
  return join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'), 'kube');
}
