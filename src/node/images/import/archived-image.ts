import type { ConfigDocument } from '../oci.js';

/** An image found in an archive, for one platform. */
export interface ArchivedImage {
  /** Names that the archive gives it, as written there. */
  readonly names: readonly string[];
  readonly id: string;
  /** Digest that its references get: of the index or manifest. */
  readonly digest: string;
  readonly config: ConfigDocument;
  readonly layers: readonly ArchivedLayer[];
  /** Manifest, configuration and layers as they are in the archive. */
  readonly sizeBytes: number;
}

/** A layer in an archive. */
export interface ArchivedLayer {
  /** Its file. */
  readonly file: string;
  readonly size: number;
  /** What the file must have; undefined: only its uncompressed form is checked. */
  readonly digest?: string;
}
