import type { ImageService } from '../runtime/index.js';

/** What an image says about its containers; fields of the OCI image configuration. */
export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  readonly workingDir: string;
  /** `user`, `uid`, `user:group`, …; empty: root. */
  readonly user: string;
  /** `SIGTERM`, `15`, …; empty: SIGTERM. */
  readonly stopSignal: string;
  readonly volumes: readonly string[];
}

/** An image that containers can be made of. */
export interface UnpackedImage {
  /** `sha256:…` of its configuration: the image's id. */
  readonly id: string;
  /** Reference with digest. */
  readonly ref: string;
  readonly config: ImageConfig;
  /**
   * Folders of its layers, the topmost first, as overlayfs' `lowerdir` wants them; at least one. Never written to. They are
   * `<stateFolder>/images/layers/<24 digits>/fs`: of more than some 50 the options outgrow a page, unless the mount is made in that
   * `layers` folder with relative names.
   */
  readonly layers: readonly string[];
}

/** Images on this node's disk. */
export interface ImageStore extends ImageService {
  /** By reference, digest or id. Undefined when it is not present. */
  unpacked(ref: string): Promise<UnpackedImage | undefined>;
  /**
   * A container uses an image: it is not collected, and its layers stay, also when another process prunes or this one is away. Await it
   * before the layers are mounted. Remembered until {@link release}; rejects with `KUBE_IMAGE_NOT_FOUND` when the image is not present.
   */
  hold(ref: string, containerId: string): Promise<void>;
  /** Idempotent. */
  release(containerId: string): Promise<void>;
}
