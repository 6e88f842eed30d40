import { loadImageTools, type ListedImage, type PullProgress, type RemovedImage } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, print } from '../output.js';
import { PullReport } from '../pull-report.js';
import { table } from '../table.js';

/** `kube image import FILE…`. */
export async function imageImport(input: CommandInput): Promise<number> {
  const { withImageStore } = await loadImageTools();
  const images = await withImageStore(dataDirectory(input), undefined, async (store) => {
    const imported = [];
    for (const file of input.operands) imported.push(...(await store.import(file === '-' ? process.stdin : file, { signal: input.io.interrupted })));
    return imported;
  });
  print(input, { images }, () => images.map((image) => `imported ${image.names.join(', ') || image.id}`).join('\n'));
  return 0;
}

/** `kube image pull IMAGE…`: with `-o json` a line for each step, and one with `"event":"pulled"` at the end. */
export async function imagePull(input: CommandInput): Promise<number> {
  const { withImageStore } = await loadImageTools();
  const { io, flags } = input;
  const report = new PullReport((text) => io.err(text));
  const progress = (event: PullProgress): void => (flags.output === 'json' ? io.out(JSON.stringify({ event: 'progress', ...event })) : report.add(event));
  const images = await withImageStore(dataDirectory(input), flags['registry-config'], async (store) => {
    const pulled = [];
    for (const image of input.operands) pulled.push({ image, ref: await store.pullImage(image, { progress, signal: io.interrupted }) });
    return pulled;
  });
  print(input, { event: 'pulled', images }, () => images.map(({ ref }) => `pulled ${ref}`).join('\n'));
  return 0;
}

/** `kube image list`. */
export async function imageList(input: CommandInput): Promise<number> {
  const { listImages } = await loadImageTools();
  const images = await listImages(dataDirectory(input));
  const rows = images.flatMap((image) => (named(image).length > 0 ? named(image) : ['<none>']).map((name) => [name, image.id.slice(7, 19), image.platform, megabytes(image.sizeBytes), String(image.containers.length)]));
  print(input, { images }, () => table(['IMAGE', 'ID', 'PLATFORM', 'SIZE', 'CONTAINERS'], rows));
  return 0;
}

/** `kube image remove IMAGE…`: exit code 1 when one does not exist; the others are removed all the same. */
export async function imageRemove(input: CommandInput): Promise<number> {
  const { withImageStore, noSuchImages } = await loadImageTools();
  const missing: string[] = [];
  const removed = await withImageStore(dataDirectory(input), undefined, async (store) => {
    const gone = [];
    for (const image of input.operands) {
      const found = await store.remove(image);
      if (found) gone.push(found);
      else missing.push(image);
    }
    return gone;
  });
  if (missing.length > 0 && removed.length === 0) throw noSuchImages(missing);
  print(input, { removed, missing }, () => [...removed.map((image) => `removed ${image.names.join(', ') || image.id}`), ...missing.map((image) => `not found: ${image}`)].join('\n'));
  return missing.length > 0 ? 1 : 0;
}

/** `kube image prune`. */
export async function imagePrune(input: CommandInput): Promise<number> {
  const { listImages, withImageStore } = await loadImageTools();
  const dryRun = input.flags['dry-run'] ?? false;
  const directory = dataDirectory(input);
  const removed: readonly RemovedImage[] = dryRun
    ? (await listImages(directory)).filter((image) => image.containers.length === 0).map(({ id, names, sizeBytes }) => ({ id, names, sizeBytes }))
    : await withImageStore(directory, undefined, (store) => store.prune());
  const freedBytes = removed.reduce((sum, image) => sum + image.sizeBytes, 0);
  print(input, { dryRun, removed, freedBytes }, () => (removed.length === 0 ? 'nothing to remove' : `${dryRun ? 'would remove' : 'removed'} ${removed.length} images, ${megabytes(freedBytes)}:\n${removed.map((image) => image.names.join(', ') || image.id).join('\n')}`));
  return 0;
}

function named(image: ListedImage): readonly string[] {
  return image.names.filter((name) => !name.includes('@'));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)}MB`;
}
