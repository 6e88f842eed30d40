import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { ConfigError } from '../references/environment.js';
import type { Image } from '../runtime/index.js';

/** Refuses a container that has to run as another user than root and would not, or cannot be known to. Throws a {@link ConfigError}. */
export function verifyNotRoot(pod: V1Pod, container: V1Container, image: Pick<Image, 'user'> | undefined): void {
  const [ofPod, own] = [pod.spec?.securityContext, container.securityContext];
  if (!(own?.runAsNonRoot ?? ofPod?.runAsNonRoot ?? false)) return;
  const where = `(pod: "${pod.metadata?.name}_${pod.metadata?.namespace}(${pod.metadata?.uid})", container: ${container.name})`;
  const uid = own?.runAsUser ?? ofPod?.runAsUser;
  if (uid !== undefined) {
    if (uid === 0) throw new ConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  const user = (image?.user ?? '').split(':')[0]!;
  if (user === '' || user === '0') throw new ConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  if (!/^\d+$/.test(user)) throw new ConfigError(`container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root ${where}`);
}
