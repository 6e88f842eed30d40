import type { Duplex, Readable, Writable } from 'node:stream';
import type { V1PodSecurityContext, V1ResourceRequirements, V1SecurityContext } from '../../api/generated/types.js';

/** Identity of a sandbox. */
export interface PodSandboxMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Counts the sandboxes of one pod, from 0. */
  readonly attempt: number;
}

/** What a sandbox is made of. Annotations are the pod's own. */
export interface PodSandboxConfig {
  readonly metadata: PodSandboxMetadata;
  readonly hostname: string;
  /** Folder for the logs of its containers; empty when the runtime keeps them elsewhere. */
  readonly logDirectory: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly dns?: { readonly servers: readonly string[]; readonly searches: readonly string[]; readonly options: readonly string[] };
  readonly portMappings?: readonly { readonly protocol: string; readonly containerPort: number; readonly hostPort: number; readonly hostIp: string }[];
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly hostIpc: boolean;
  readonly shareProcessNamespace: boolean;
  readonly securityContext?: V1PodSecurityContext;
  /** Control group of the pod, below the runtime's own: `/burstable/pod<uid>`; empty: none of its own. */
  readonly cgroupParent: string;
  /** Limits and requests of the pod as a whole, for its control group. */
  readonly resources?: V1ResourceRequirements;
}

export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata: PodSandboxMetadata;
  readonly state: 'ready' | 'notready';
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Primary address first; empty with the host's network. */
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
}

/** What part a container plays in its pod. */
export type ContainerKind = 'init' | 'sidecar' | 'regular' | 'ephemeral';

export interface Mount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readonly: boolean;
  /** Submounts too; with {@link readonly} only. */
  readonly recursiveReadOnly?: boolean;
  readonly propagation: 'private' | 'host-to-container' | 'bidirectional';
}

export interface ContainerConfig {
  readonly name: string;
  /** Counts the instances of one container, from 0. */
  readonly attempt: number;
  readonly kind: ContainerKind;
  /** The pod does not restart it after success: it is expected to end by itself. */
  readonly runsToCompletion: boolean;
  /** As the pod names it. */
  readonly image: string;
  /** As the image service named it after the pull. */
  readonly imageRef: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly envs: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly Mount[];
  /** Relative to the sandbox's log folder. */
  readonly logPath: string;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  readonly resources?: V1ResourceRequirements;
  readonly securityContext?: V1SecurityContext;
  /** -1000 to 1000; where the host refuses to lower it, the value stays as it was. */
  readonly oomScoreAdj?: number;
  /** Signal that asks it to end, `SIGUSR1`; absent: the image's. */
  readonly stopSignal?: string;
  /** Host devices, each under its own path: block volumes. */
  readonly devices?: readonly { readonly hostPath: string; readonly containerPath: string }[];
  /** Container of the same pod whose processes it shares: ephemeral containers with a target. */
  readonly targetContainerId?: string;
  readonly ports?: readonly number[];
  readonly terminationMessagePath: string;
  readonly terminationMessagePolicy: string;
  /** Hash of the container's spec: a running one with another hash is replaced. */
  readonly specHash: string;
}

export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';

export interface ContainerStatus {
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  readonly name: string;
  readonly attempt: number;
  readonly kind: ContainerKind;
  readonly state: ContainerState;
  /** Milliseconds since the epoch; 0 when it did not happen yet. */
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly image: string;
  readonly imageRef: string;
  /** `Completed`, `Error`, `OOMKilled`, …; empty unless exited. */
  readonly reason: string;
  /** Termination message. */
  readonly message: string;
  readonly specHash: string;
  readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
  /** The runtime's own opinion of a running container that has no readiness probe; absent means ready. A change is an event. */
  readonly ready?: boolean;
}

/** Something happened to a sandbox or container. It carries no state: look it up. */
export interface RuntimeEvent {
  readonly type: 'sandbox-ready' | 'sandbox-stopped' | 'sandbox-removed' | 'created' | 'started' | 'stopped' | 'removed' | 'changed';
  readonly podUid: string;
  readonly sandboxId: string;
  /** Empty for events of sandboxes. */
  readonly containerId: string;
}

export interface RuntimeVersion {
  /** Prefix of container ids in the API: `sim`, `containerd`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

export interface RuntimeStatus {
  readonly runtimeReady: boolean;
  readonly networkReady: boolean;
  /** Why, when something is not ready. */
  readonly message: string;
}

export interface ExecResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
}

export interface StreamOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** With a terminal there is no separate stderr. */
  readonly tty: boolean;
}

/** A running command, or a running container that one is attached to. */
export interface StreamSession {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  resize(columns: number, rows: number): void;
  /** Resolves with the exit code once the process ended (exec) or with 0 once detached (attach); rejects when it could not run. */
  readonly exit: Promise<number>;
  /** Gives up: detaches, or kills the command. */
  close(): void;
}

export interface LogOptions {
  readonly follow: boolean;
  /** Only the last lines; undefined: all. */
  readonly tailLines?: number;
  /** Only lines at or after this time, in milliseconds since the epoch. */
  readonly since?: number;
  readonly timestamps: boolean;
  readonly limitBytes?: number;
  /** Only one of the two; undefined: both. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal: AbortSignal;
}

export interface ContainerStats {
  readonly containerId: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** CPU time used so far, in nanoseconds. */
  readonly cpuNanoseconds: number;
  /** Use over the last seconds, in thousandths of a core. */
  readonly cpuMillicores: number;
  readonly memoryWorkingSetBytes: number;
  /** Absent where the runtime does not count it. */
  readonly memory?: { readonly usageBytes: number; readonly rssBytes: number; readonly pageFaults: number; readonly majorPageFaults: number };
  /** Number of processes and threads. */
  readonly processes?: number;
  /** Bytes written to the container's own file system. */
  readonly rootfsUsedBytes?: number;
  readonly logsUsedBytes?: number;
}

/** Outcome of a probe. */
export interface ProbeOutcome {
  readonly success: boolean;
  readonly output: string;
  /** A success that somebody should hear of. */
  readonly warning?: boolean;
}

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** A connection to a port inside of a sandbox. */
export type PortConnection = Duplex;
