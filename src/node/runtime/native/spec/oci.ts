/** The parts of the OCI runtime specification (1.0.2) that containers here are described with. */
export interface OciSpec {
  readonly ociVersion: string;
  readonly hostname?: string;
  readonly root: { readonly path: string; readonly readonly: boolean };
  readonly process: OciProcess;
  readonly mounts: readonly OciMount[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly linux: OciLinux;
}

export interface OciProcess {
  readonly terminal: boolean;
  readonly user: OciUser;
  readonly args: readonly string[];
  /** `NAME=value`. */
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: OciCapabilities;
  readonly noNewPrivileges: boolean;
  readonly oomScoreAdj?: number;
  readonly apparmorProfile?: string;
}

export interface OciUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
}

export interface OciCapabilities {
  readonly bounding: readonly string[];
  readonly effective: readonly string[];
  readonly permitted: readonly string[];
  readonly inheritable?: readonly string[];
  readonly ambient?: readonly string[];
}

export interface OciMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

export interface OciDevice {
  readonly path: string;
  readonly type: 'c' | 'b';
  readonly major: number;
  readonly minor: number;
  readonly fileMode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface OciDeviceRule {
  readonly allow: boolean;
  readonly type?: 'a' | 'c' | 'b';
  readonly major?: number;
  readonly minor?: number;
  readonly access: string;
}

export interface OciResources {
  readonly devices: readonly OciDeviceRule[];
  readonly cpu?: { readonly shares?: number; readonly quota?: number; readonly period?: number };
  readonly memory?: { readonly limit?: number };
  readonly pids?: { readonly limit: number };
  readonly hugepageLimits?: readonly { readonly pageSize: string; readonly limit: number }[];
  readonly unified?: Readonly<Record<string, string>>;
}

export interface OciSeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly { readonly index: number; readonly value: number; readonly valueTwo?: number; readonly op: string }[];
}

export interface OciSeccomp {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly syscalls: readonly OciSeccompRule[];
}

export interface OciLinux {
  readonly namespaces: readonly { readonly type: 'pid' | 'network' | 'ipc' | 'uts' | 'mount' | 'cgroup'; readonly path?: string }[];
  readonly cgroupsPath: string;
  readonly resources: OciResources;
  readonly devices: readonly OciDevice[];
  readonly rootfsPropagation?: 'shared' | 'rshared' | 'slave' | 'rslave' | 'private' | 'rprivate';
  readonly seccomp?: OciSeccomp;
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
}
