import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { errorMessage } from '../../base/errors.js';
import type { ImageAuth, PullProgress } from '../runtime/index.js';
import { ImageError, refused } from './image-error.js';
import type { ImageLimits } from './limits.js';
import { choosePlatform, listPlatforms, parseConfig, parseManifest, type ConfigDocument, type Descriptor } from './oci.js';
import { formatPlatform, platformRank } from './platform.js';
import type { ImageReference } from './reference.js';
import type { RegistryClient } from './registry/registry-client.js';
import type { Repository, TransferEvents } from './registry/repository.js';
import type { Installer, LayerSource } from './store/installer.js';
import type { Layout } from './store/layout.js';
import type { Records } from './store/records.js';

/** Indexes may point to indexes; nobody needs more. */
const MAX_INDEXES = 3;

/** Bytes between two progress events of one blob. */
const PROGRESS_STEP = 512 * 1024;

/** What pulls need. */
export interface PullContext {
  readonly client: RegistryClient;
  readonly installer: Installer;
  readonly records: Records;
  readonly layout: Layout;
  readonly limits: ImageLimits;
  /** Go's name of this machine's processor. */
  readonly architecture: string;
  /** Whether all layers of an image are there. */
  readonly complete: (id: string) => Promise<boolean>;
}

type Emit = (event: Omit<PullProgress, 'image'>) => void;

/** Pulls an image; resolves with its reference (`repository@digest`). Errors have containerd's wording. */
export async function pullImage(context: PullContext, reference: ImageReference, auth: ImageAuth | undefined, signal: AbortSignal, emit: Emit): Promise<string> {
  const events: TransferEvents = { bytes: () => undefined, retrying: (message) => emit({ state: 'retrying', message }) };
  emit({ state: 'resolving' });
  const repository = context.client.repository(reference, auth, signal);
  const present = await resolving(reference, async () => unchanged(context, reference, repository, events));
  if (present !== undefined) {
    emit({ state: 'present' });
    return present;
  }
  const top = await resolving(reference, () => repository.manifest(reference.digest ?? reference.tag!, events));
  try {
    const ref = `${reference.repository}@${top.digest}`;
    const image = await findImage(context, repository, top, reference, events);
    const names = [...new Set([reference.name, ref])].map((name) => ({ name, image: image.descriptor.digest, ref }));
    await context.installer.install({
      id: image.descriptor.digest, config: image.config, names, sizeBytes: image.manifestBytes + image.descriptor.size + image.layers.reduce((sum, layer) => sum + layer.size, 0),
      layers: image.layers.map((layer, i) => remoteLayer(context, repository, layer, image.config.diffIds[i]!, emit)),
    }, signal);
    emit({ state: 'done' });
    return ref;
  } catch (error) {
    signal.throwIfAborted();
    throw new ImageError('KUBE_IMAGE_PULL', `failed to pull and unpack image "${reference.name}": ${errorMessage(error)}`, { cause: error });
  }
}

async function resolving<T>(reference: ImageReference, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ImageError('KUBE_IMAGE_PULL', `failed to pull and unpack image "${reference.name}": failed to resolve reference "${reference.name}": ${errorMessage(error)}`, { cause: error });
  }
}

/** The reference of an image that is here already and that the registry has unchanged under this name. */
async function unchanged(context: PullContext, reference: ImageReference, repository: Repository, events: TransferEvents): Promise<string | undefined> {
  const known = (await context.records.read()).names.get(reference.name);
  if (!known || !(await context.complete(known.image))) return undefined;
  const digest = await repository.digest(reference.digest ?? reference.tag!, events);
  return digest !== undefined && known.ref === `${reference.repository}@${digest}` ? known.ref : undefined;
}

interface FoundImage {
  readonly descriptor: Descriptor;
  readonly config: ConfigDocument;
  readonly layers: readonly Descriptor[];
  readonly manifestBytes: number;
}

async function findImage(context: PullContext, repository: Repository, top: { readonly bytes: Buffer; readonly digest: string }, reference: ImageReference, events: TransferEvents): Promise<FoundImage> {
  const { limits, architecture } = context;
  const wanted = `linux/${architecture}`;
  let { bytes, digest } = top;
  for (let indexes = 0; ; indexes++) {
    const what = `manifest ${digest} of ${reference.repository}`;
    const manifest = parseManifest(bytes, what, limits);
    if (manifest.kind === 'index') {
      if (indexes >= MAX_INDEXES) throw refused(`${what}: more than ${MAX_INDEXES} indexes point to one another`);
      const chosen = choosePlatform(manifest.manifests, architecture);
      if (!chosen) throw new ImageError('KUBE_IMAGE_NOT_FOUND', `no match for platform in manifest: it has no image for ${wanted}, ${listPlatforms(manifest.manifests)}`);
      ({ bytes, digest } = await repository.manifest(chosen.digest, events));
      continue;
    }
    const config = parseConfig(await repository.blob(manifest.config, limits.configBytes, events), `configuration ${manifest.config.digest} of ${reference.repository}`, limits);
    checkPlatform(config, architecture);
    if (config.diffIds.length !== manifest.layers.length) throw refused(`${what}: it has ${manifest.layers.length} layers, but its configuration has ${config.diffIds.length}`);
    return { descriptor: manifest.config, config, layers: manifest.layers, manifestBytes: bytes.length };
  }
}

/** Throws when an image is for another machine. */
export function checkPlatform(config: ConfigDocument, architecture: string): void {
  if (config.platform.architecture === '' || platformRank(config.platform, architecture) !== undefined) return;
  throw new ImageError('KUBE_IMAGE_NOT_FOUND', `no match for platform in manifest: it is for ${formatPlatform(config.platform)}, this machine is linux/${architecture}`);
}

function remoteLayer(context: PullContext, repository: Repository, layer: Descriptor, diffId: string, emit: Emit): LayerSource {
  const { digest, size: totalBytes } = layer;
  return {
    diffId,
    state: (state) => emit({ digest, state, totalBytes, ...(state === 'present' ? {} : { currentBytes: totalBytes }) }),
    fetch: async () => {
      const path = context.layout.temporary();
      let told = 0;
      emit({ digest, state: 'downloading', currentBytes: 0, totalBytes });
      await repository.download(layer, path, {
        bytes: (currentBytes) => {
          if (currentBytes < told + PROGRESS_STEP && currentBytes < totalBytes && currentBytes >= told) return;
          told = currentBytes;
          emit({ digest, state: 'downloading', currentBytes, totalBytes });
        },
        retrying: (message) => emit({ digest, state: 'retrying', message }),
      });
      return { open: () => createReadStream(path, { highWaterMark: 256 * 1024 }), close: () => rm(path, { force: true }) };
    },
  };
}
