/** Volumes of a pod cannot be set up. Each of {@link messages} is fit for a `FailedMount` event; the error's own message is the first. */
export class VolumeError extends Error {
  constructor(readonly messages: readonly string[]) {
    super(messages[0] ?? 'volumes cannot be set up');
    this.name = 'VolumeError';
  }
}

/** Upstream's wording for a volume that cannot be made. `volume` is the name in the pod, or that of the persistent volume. */
export function setUpFailed(volume: string, why: string): string {
  return `MountVolume.SetUp failed for volume "${volume}" : ${why}`;
}
