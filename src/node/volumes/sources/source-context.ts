import type { V1Pod, V1Volume } from '../../../api/generated/types.js';
import type { Client } from '../../../client/index.js';
import type { Commands } from '../../../base/process/commands.js';
import type { References } from '../../references/references.js';
import type { ObjectWatches } from '../content/object-watches.js';
import type { ServiceAccountTokens } from '../content/service-account-tokens.js';
import type { PodPaths } from '../host/pod-paths.js';
import type { VolumeImages } from './image.js';

/** What the makers of volumes share. */
export interface SourceServices {
  readonly paths: PodPaths;
  readonly commands: Commands;
  readonly client: Client;
  readonly watches: ObjectWatches;
  readonly tokens: ServiceAccountTokens;
  /** What pods may take from the node, as quantities. */
  readonly allocatable: Readonly<Record<string, string>>;
  readonly references: References;
  /** Absent: image volumes are not supported. */
  readonly images: VolumeImages | undefined;
  /** A new name for a version of a volume's files. */
  readonly version: () => string;
}

/** One volume of one pod. */
export interface SourceContext extends SourceServices {
  readonly pod: V1Pod;
  readonly uid: string;
  readonly volume: V1Volume;
  /** The pod's `fsGroup`. */
  readonly fsGroup: number | undefined;
  /** The user that all of the pod's containers run as, if it is one. */
  readonly fsUser: number | undefined;
}
