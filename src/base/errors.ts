/**
 * An operational error of the program itself (not of the Kubernetes API: those are `StatusError`).
 * `code` begins with `KUBE_` and is stable, so that scripts can match on it. A `TypeError` is a bug
 * of ours and is never retried.
 */
export class KubeError extends Error {
  constructor(
    readonly code: `KUBE_${string}`,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'KubeError';
  }
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node.js system error (`ENOENT`, …) or of a {@link KubeError}, if there is one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

const FILE_FAILURES: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder', EACCES: 'permission denied', ENOTDIR: 'part of the path is not a folder', ENXIO: 'it is a socket or a device that is not there' };

/** Why a file cannot be read, in words: for a message "cannot read FILE: …". */
export function fileFailure(error: unknown): string {
  return FILE_FAILURES[errorCode(error) ?? ''] ?? errorMessage(error);
}
