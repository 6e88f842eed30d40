import type { V1Pod, V1ResourceRequirements } from '../../api/generated/types.js';
import type {
  ContainerConfig, ContainerStats, ContainerStatus, ExecResult, LogOptions, PodSandboxConfig, PodSandboxStatus, PortConnection,
  ProbeKind, ProbeOutcome, RuntimeEvent, RuntimeStatus, RuntimeVersion, StreamOptions, StreamSession,
} from './types.js';

/**
 * Runs sandboxes and containers of one node; the shape is CRI's. Ids are opaque text. A call about an id that does not
 * exist rejects with `KUBE_RUNTIME_NOT_FOUND`, except stopping and removing, which then do nothing. Any other failure
 * rejects with an error whose message is fit for an event. All calls may run at the same time.
 */
export interface RuntimeService {
  version(): Promise<RuntimeVersion>;
  status(): Promise<RuntimeStatus>;
  /** The range of addresses for pods became known or changed; pods that have an address keep it. */
  updateRuntimeConfig(config: { readonly podCidr: string }): Promise<void>;

  /** Makes and starts a sandbox with its network; resolves with its id. */
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  /** Kills what still runs in it and gives its network back. Idempotent. */
  stopPodSandbox(id: string): Promise<void>;
  /** Stops it and removes it with its containers and their logs. Idempotent. */
  removePodSandbox(id: string): Promise<void>;
  podSandboxStatus(id: string): Promise<PodSandboxStatus>;
  /** All sandboxes, or those of one pod; newest first. */
  listPodSandbox(filter?: { readonly podUid?: string }): Promise<readonly PodSandboxStatus[]>;

  /** Makes a container in a ready sandbox; resolves with its id. Its state is `created`. */
  createContainer(sandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string>;
  /** Only a `created` container can be started. */
  startContainer(id: string): Promise<void>;
  /** Asks it to end, and kills it after `timeoutSeconds`; resolves once it has exited. A shorter timeout given later wins. Idempotent. */
  stopContainer(id: string, timeoutSeconds: number): Promise<void>;
  /** Kills it if it runs, and removes it with its log. Idempotent. */
  removeContainer(id: string): Promise<void>;
  containerStatus(id: string): Promise<ContainerStatus>;
  /** All containers, or those of one pod; newest first. */
  listContainers(filter?: { readonly podUid?: string }): Promise<readonly ContainerStatus[]>;
  /** Changes limits of a running container. */
  updateContainerResources(id: string, resources: V1ResourceRequirements): Promise<void>;

  /** Runs a command to its end. Rejects with `KUBE_RUNTIME_TIMEOUT` after `timeoutSeconds` (0: never). */
  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult>;
  /** Starts a command with streams. Rejects when the container does not run. */
  exec(id: string, command: readonly string[], options: StreamOptions): Promise<StreamSession>;
  attach(id: string, options: StreamOptions): Promise<StreamSession>;
  /** Connects to a port inside of a sandbox. */
  portForward(sandboxId: string, port: number): Promise<PortConnection>;
  /** The log of a container as text lines; ends when everything is read, or with `follow` when the container has ended. */
  containerLogs(id: string, options: LogOptions): AsyncIterable<Buffer>;
  containerStats(filter?: { readonly podUid?: string }): Promise<readonly ContainerStats[]>;

  /**
   * Life-cycle events, as they happen: the listener is called after the state has changed, never from within a call of
   * the same turn. Returns a function that ends it. Nobody polls.
   */
  onEvent(listener: (event: RuntimeEvent) => void): () => void;
}

/** An optional ability: the runtime decides probes and lifecycle hooks by itself, whatever their handlers are. */
export interface DecidingRuntime {
  probe(id: string, kind: ProbeKind): Promise<ProbeOutcome>;
  /** Rejects when the hook fails. */
  runHook(id: string, hook: 'postStart' | 'preStop'): Promise<void>;
}

/** An optional ability: sandboxes have resources of their own, which can change while they run. */
export interface ResizingRuntime {
  /** Changes requests and limits of a pod as a whole. */
  updatePodSandboxResources(id: string, resources: V1ResourceRequirements): Promise<void>;
}

/** An optional ability: the runtime has work of its own on the host, to be taken up before the first call and laid down after the last. */
export interface HostRuntime {
  /** Makes what is missing on the host, and adopts what an earlier process left running: after it lists and events are right. */
  start(): Promise<void>;
  /** Lets go; what runs goes on. */
  stop(): Promise<void>;
  /** Paths of the logs of running containers. */
  runningLogs(): Iterable<{ readonly containerId: string; readonly path: string }>;
  /** Begins a new log file for a running container whose log was moved away. */
  reopenContainerLog(id: string): Promise<void>;
}

/** An optional ability: the runtime takes up what an earlier process of its kind ran, from the pod's status. */
export interface AdoptingRuntime {
  adopt(pod: V1Pod): void;
}

/** Pulls and keeps images. */
export interface ImageService {
  /** Resolves with the image's reference; `image` may lack a tag. Rejects with a message fit for an event. */
  pullImage(image: string, options?: PullOptions): Promise<string>;
  /** Undefined when it is not present. */
  imageStatus(image: string): Promise<Image | undefined>;
  listImages(): Promise<readonly Image[]>;
  /** Idempotent. */
  removeImage(image: string): Promise<void>;
}

/** For whom an image is pulled. */
export interface PullOptions {
  readonly auth?: ImageAuth;
  readonly sandbox?: PodSandboxConfig;
  readonly container?: string;
  /** Told while it goes on. */
  readonly progress?: (event: PullProgress) => void;
  readonly signal?: AbortSignal;
}

/** How far a pull is. */
export interface PullProgress {
  readonly image: string;
  /** Digest of the layer or other blob; absent for the pull as a whole. */
  readonly digest?: string;
  readonly state: 'resolving' | 'downloading' | 'unpacking' | 'present' | 'done' | 'retrying';
  readonly currentBytes?: number;
  readonly totalBytes?: number;
  readonly message?: string;
}

/** Credentials of one registry. */
export interface ImageAuth {
  readonly username: string;
  readonly password: string;
  /** In their stead: a token that the registry takes as it is, or one that is exchanged for it. */
  readonly registryToken?: string;
  readonly identityToken?: string;
}

export interface Image {
  /** Digest of its configuration, where there is one. */
  readonly id?: string;
  /** Reference with digest. */
  readonly ref: string;
  /** The number or name of the user that its containers run as, from its configuration. */
  readonly user?: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** A node's runtime. */
export interface NodeRuntime {
  readonly containers: RuntimeService & Partial<DecidingRuntime> & Partial<AdoptingRuntime> & Partial<HostRuntime> & Partial<ResizingRuntime>;
  readonly images: ImageService;
}

/** Code of errors about ids that do not exist. */
export const RUNTIME_NOT_FOUND = 'KUBE_RUNTIME_NOT_FOUND';
