/** A valid object from which cases are made. */
export interface Manifest {
  readonly key: string;
  readonly cluster?: boolean;
  /** Not made in the set-up. */
  readonly absent?: boolean;
  readonly object: Record<string, unknown>;
  readonly collection: string;
  /** The collection in all namespaces. */
  readonly everywhere: string;
  /** What the status is updated to. */
  readonly status?: unknown;
  /** The server answers a creation, but keeps nothing. */
  readonly createOnly?: boolean;
}

/** One case: a manifest and the one thing that is different. */
export interface Case {
  readonly id: string;
  readonly manifest: string;
  readonly verb: string;
}

export interface CorpusRequest {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  /** Media type of the body; default JSON. */
  readonly type?: string;
  readonly body?: unknown;
}

export function readManifests(file: string): Manifest[];
export function setUp(manifests: readonly Manifest[]): CorpusRequest[];
export function requestOf(entry: Case, manifest: Manifest): CorpusRequest;
