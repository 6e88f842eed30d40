import { KubeError } from '../../base/errors.js';

/**
 * Where things are in etcd, for a prefix such as `/kube`: objects under `/kube/`, and two keys beside them that one watch of
 * [`/kube.`, `/kube0`) sees as well. Keys of those who use the prefix begin with `/kube-user:` and are not watched.
 */
export class Layout {
  /** First part of every key of the store. */
  readonly root: string;
  /** Says whose prefix this is and in which form things are; see `marker.ts`. */
  readonly format: string;
  /**
   * Written by every transaction. The revision of its last change is that of the newest write under the prefix: etcd's own
   * revision also counts what happens elsewhere, which no watch of ours sees.
   */
  readonly revision: string;
  /** Everything under the prefix, the two keys included. */
  readonly watchStart: string;
  readonly watchEnd: string;
  /** What keys of those who use the prefix begin with; see `presence.ts`. */
  readonly users: string;
  readonly usersEnd: string;
  /** The objects. */
  readonly dataStart: string;

  constructor(prefix: string) {
    const name = prefix.replace(/\/+$/, '');
    if (!name.startsWith('/') || name.length < 2) throw new KubeError('KUBE_STORE_FORMAT', `the etcd prefix ${JSON.stringify(prefix)} must begin with "/" and have a name after it`);
    this.root = prefix;
    this.format = `${name}.format`;
    this.revision = `${name}.revision`;
    this.watchStart = `${name}.`;
    this.users = `${name}-user:`;
    // ';' is the character after ':'.
    this.usersEnd = `${name}-user;`;
    this.dataStart = `${name}/`;
    // '0' is the character after '/'.
    this.watchEnd = `${name}0`;
  }

  get dataEnd(): string {
    return this.watchEnd;
  }

  key(key: string): string {
    return this.root + key;
  }

  /** The store's key; undefined for the keys beside the objects. */
  storeKey(etcdKey: string): string | undefined {
    return etcdKey.startsWith(this.dataStart) ? etcdKey.slice(this.root.length) : undefined;
  }
}
