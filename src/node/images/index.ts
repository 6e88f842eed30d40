import { openStore, type ImageStoreOptions, type OpenImageStore } from './store.js';

export type { ListedImage, OpenImageStore } from './store.js';
export type { ImageConfig, ImageStore, UnpackedImage } from './image-store.js';
export type { ImportedImage, ImportOptions } from './import/import.js';
export type { ImageLimits } from './limits.js';
export type { DockerAuths, ProxyOptions, RegistriesOptions, RegistryOptions } from './registry/options.js';
export type { CollectOptions, CollectResult, DiskUsage, RemovedImage } from './store/collector.js';
export type { ImageStoreOptions } from './store.js';
export { parseReference } from './reference.js';

/** Opens the image store of a node. Several processes may have it open at the same time; close it at the end. */
export function openImageStore(options: ImageStoreOptions): Promise<OpenImageStore> {
  return openStore(options);
}
