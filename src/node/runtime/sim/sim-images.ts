import { KubeError } from '../../../base/errors.js';
import { sleep } from '../../../base/clock.js';
import type { Image, ImageService, PullOptions } from '../runtime.js';
import { readBehaviour } from './behaviour.js';
import type { SimWorld } from './world.js';

/** Images of one simulated node: every name exists in the world outside. */
export class SimImages implements ImageService {
  private readonly present = new Map<string, Image>();
  /** Pulls that failed on purpose, by pod and container. */
  private readonly failures = new Map<string, number>();

  constructor(private readonly world: SimWorld) {}

  async pullImage(image: string, options: PullOptions = {}): Promise<string> {
    const behaviour = readBehaviour(options.sandbox?.annotations ?? {}, options.container ?? '', this.world.latencies);
    if (behaviour.pullMilliseconds > 0) await sleep(this.world.clock, behaviour.pullMilliseconds);
    if (behaviour.fail.has('ImagePull')) {
      const key = `${options.sandbox?.metadata.uid ?? ''}/${options.container ?? ''}`;
      const failed = this.failures.get(key) ?? 0;
      if (failed < behaviour.failTimes) {
        this.failures.set(key, failed + 1);
        throw new KubeError('KUBE_SIM_FAILURE', `failed to resolve reference "${image}": the simulation was told to fail`);
      }
      this.failures.delete(key);
    }
    return this.add(image).ref;
  }

  /** Makes an image present without a pull. */
  add(image: string): Image {
    let known = this.present.get(image);
    if (!known) {
      const ref = this.world.imageReference(image);
      known = { ref, names: [image], sizeBytes: 1_000_000 + (parseInt(ref.slice(-6), 16) % 90_000_000) };
      this.present.set(image, known);
    }
    return known;
  }

  imageStatus(image: string): Promise<Image | undefined> {
    return Promise.resolve(this.present.get(image));
  }

  listImages(): Promise<readonly Image[]> {
    return Promise.resolve([...this.present.values()]);
  }

  removeImage(image: string): Promise<void> {
    this.present.delete(image);
    return Promise.resolve();
  }
}
