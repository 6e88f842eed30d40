import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ImageConfig, ImageStore, UnpackedImage } from '../../../src/node/images/image-store.js';
import type { Image } from '../../../src/node/runtime/index.js';

/** Applets that tests call by name; Debian's busybox finds its own by the name that it is called by. */
const APPLETS = ['sh', 'sleep', 'true', 'false', 'echo', 'cat', 'ls', 'id', 'env', 'hostname', 'grep', 'kill', 'ps', 'dd', 'stat', 'mount', 'sysctl', 'touch', 'nc', 'head', 'readlink', 'ip', 'awk', 'seq', 'tail', 'wc', 'chroot', 'unshare', 'rm'];

/** An image store with one image of busybox, in two layers. */
export class BusyboxImages implements ImageStore {
  readonly held = new Map<string, string>();
  private readonly present = new Map<string, UnpackedImage>();

  constructor(
    private readonly folder: string,
    private readonly config: Partial<ImageConfig> = {},
  ) {}

  async pullImage(image: string): Promise<string> {
    const top = join(this.folder, 'top');
    const base = join(this.folder, 'base');
    await mkdir(join(base, 'bin'), { recursive: true });
    await mkdir(join(base, 'etc'), { recursive: true });
    await mkdir(join(base, 'tmp'), { recursive: true });
    await chmod(join(base, 'tmp'), 0o1777);
    await mkdir(join(base, 'data'), { recursive: true });
    await mkdir(top, { recursive: true, mode: 0o755 });
    await cp('/bin/busybox', join(base, 'bin/busybox'));
    for (const name of APPLETS) await symlink('busybox', join(base, 'bin', name)).catch(() => undefined);
    await writeFile(join(base, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nalice:x:1000:1001:Alice:/home/alice:/bin/sh\n');
    await writeFile(join(base, 'etc/group'), 'root:x:0:\nalice:x:1001:\nfriends:x:2000:bob,alice\n');
    await writeFile(join(base, 'data/seed'), 'seed\n');
    await writeFile(join(top, 'marker'), 'top\n');
    const digest = createHash('sha256').update(await readFile('/bin/busybox')).digest('hex');
    const ref = `${image}@sha256:${digest}`;
    const config: ImageConfig = { entrypoint: [], cmd: ['sh'], env: ['PATH=/bin', 'FROM_IMAGE=yes'], workingDir: '', user: '', stopSignal: '', volumes: [], ...this.config };
    this.present.set(image, { id: `sha256:${digest}`, ref, config, layers: [top, base] });
    return ref;
  }

  imageStatus(image: string): Promise<Image | undefined> {
    const found = this.find(image);
    return Promise.resolve(found ? describe(found, image) : undefined);
  }

  listImages(): Promise<readonly Image[]> {
    return Promise.resolve([...this.present].map(([name, image]) => describe(image, name)));
  }

  removeImage(image: string): Promise<void> {
    this.present.delete(image);
    return Promise.resolve();
  }

  unpacked(ref: string): Promise<UnpackedImage | undefined> {
    return Promise.resolve(this.find(ref));
  }

  hold(ref: string, containerId: string): Promise<void> {
    this.held.set(containerId, ref);
    return Promise.resolve();
  }

  release(containerId: string): Promise<void> {
    this.held.delete(containerId);
    return Promise.resolve();
  }

  private find(ref: string): UnpackedImage | undefined {
    return this.present.get(ref) ?? [...this.present.values()].find((image) => image.ref === ref || image.id === ref);
  }
}

function describe(image: UnpackedImage, name: string): Image {
  return { id: image.id, ref: image.ref, names: [name], sizeBytes: 1 };
}
