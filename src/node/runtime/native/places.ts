import type { NodeHost } from '../../host.js';

/** Where things of sandboxes and containers stand on the host. What a sandbox needs only while it runs is in the run folder. */
export class NativePlaces {
  constructor(private readonly host: Pick<NodeHost, 'stateFolder' | 'runFolder'>) {}

  get runFolder(): string {
    return this.host.runFolder;
  }

  get stateFolder(): string {
    return this.host.stateFolder;
  }

  /** Folder of the records of sandboxes, `<id>.json`. */
  get sandboxRecords(): string {
    return `${this.host.stateFolder}/sandboxes`;
  }

  sandboxRecord(id: string): string {
    return `${this.sandboxRecords}/${id}.json`;
  }

  /** Folder of a folder for each container. */
  get containers(): string {
    return `${this.host.stateFolder}/containers`;
  }

  container(id: string): string {
    return `${this.containers}/${id}`;
  }

  containerRecord(id: string): string {
    return `${this.container(id)}/record.json`;
  }

  /** What the container wrote to its own file system. */
  upper(id: string): string {
    return `${this.container(id)}/upper`;
  }

  work(id: string): string {
    return `${this.container(id)}/work`;
  }

  /** The file that is mounted as the termination message. */
  terminationMessage(id: string): string {
    return `${this.container(id)}/termination-log`;
  }

  /** Folders of the volumes that the image declares. */
  imageVolumes(id: string): string {
    return `${this.container(id)}/volumes`;
  }

  /** The log, when the sandbox does not say where logs are. */
  ownLog(id: string): string {
    return `${this.container(id)}/logs/container.log`;
  }

  /** Folder of a folder for each sandbox. */
  get sandboxes(): string {
    return `${this.host.runFolder}/s`;
  }

  sandbox(id: string): string {
    return `${this.sandboxes}/${id}`;
  }

  /** File to which a namespace of a sandbox is pinned. */
  namespace(id: string, kind: 'net' | 'ipc' | 'uts'): string {
    return `${this.sandbox(id)}/${kind}`;
  }

  shm(id: string): string {
    return `${this.sandbox(id)}/shm`;
  }

  hostname(id: string): string {
    return `${this.sandbox(id)}/hostname`;
  }

  resolvConf(id: string): string {
    return `${this.sandbox(id)}/resolv.conf`;
  }

  /** Folder of the bundles: one for each container and each pause container. */
  get bundles(): string {
    return `${this.host.runFolder}/b`;
  }

  /** Holds `config.json`, `rootfs`, and what conmon puts there: `attach`, `ctl`, `winsz`, `pid`, `oom`. */
  bundle(id: string): string {
    return `${this.bundles}/${id}`;
  }

  rootfs(id: string): string {
    return `${this.bundle(id)}/rootfs`;
  }

  /** Folder in which conmon leaves a file with the exit code, named after the container. */
  get exits(): string {
    return `${this.host.runFolder}/exits`;
  }

  /** runc's own state. */
  get runc(): string {
    return `${this.host.runFolder}/runc`;
  }

  /** Process files of running commands. */
  get execs(): string {
    return `${this.host.runFolder}/e`;
  }

  /** Root file system of pause containers. */
  get pauseRoot(): string {
    return `${this.host.stateFolder}/pause`;
  }
}
