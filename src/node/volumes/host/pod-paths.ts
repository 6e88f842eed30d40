import type { NodeHost } from '../../host.js';

/** Places of pods' volumes on the host, with upstream's names below the state folder. */
export class PodPaths {
  /** One folder for each pod, named by its UID. */
  readonly root: string;

  constructor(host: NodeHost) {
    this.root = `${host.stateFolder}/pods`;
  }

  pod(uid: string): string {
    return `${this.root}/${uid}`;
  }

  /** Folder of volumes of one plugin: `empty-dir`, `configmap`, … */
  plugin(uid: string, plugin: string): string {
    return `${this.root}/${uid}/volumes/kubernetes.io~${plugin}`;
  }

  volume(uid: string, plugin: string, name: string): string {
    return `${this.plugin(uid, plugin)}/${name}`;
  }

  /** Folder of what is mounted for the `subPath`s of one container. */
  subPaths(uid: string, volume: string, container: string): string {
    return `${this.root}/${uid}/volume-subpaths/${volume}/${container}`;
  }
}
