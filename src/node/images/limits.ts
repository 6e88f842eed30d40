/** What an image may have; more is refused, and nothing of it stays. */
export interface ImageLimits {
  /** Bytes of a manifest or index. Default 4 MiB, as registries. */
  readonly manifestBytes: number;
  /** Bytes of an image configuration. Default 8 MiB. */
  readonly configBytes: number;
  /** Bytes of one layer as it is sent. Default 32 GiB. */
  readonly blobBytes: number;
  /** Bytes of one layer when uncompressed. Default 64 GiB. */
  readonly layerBytes: number;
  /** Files, folders and links of one layer. Default 2 million. */
  readonly layerEntries: number;
  /** How many times larger a layer (or compressed archive) may become than it was sent; checked beyond {@link ratioFloorBytes}. Default 200. */
  readonly ratio: number;
  /** Up to here any ratio is fine. Default 256 MiB. */
  readonly ratioFloorBytes: number;
  /** Layers of one image; overlayfs takes no more below one mount. Default 127. */
  readonly layers: number;
}

export const DEFAULT_LIMITS: ImageLimits = {
  manifestBytes: 4 * 1024 ** 2,
  configBytes: 8 * 1024 ** 2,
  blobBytes: 32 * 1024 ** 3,
  layerBytes: 64 * 1024 ** 3,
  layerEntries: 2_000_000,
  ratio: 200,
  ratioFloorBytes: 256 * 1024 ** 2,
  layers: 127,
};
