import type { V1Container } from '../../api/generated/types.js';
import { errorMessage } from '../../base/errors.js';
import { goDuration } from '../runtime/go-duration.js';
import type { ImageService, PodSandboxConfig, PullOptions } from '../runtime/index.js';
import { pullCredentials } from '../pods/pull-credentials.js';
import type { PodRun } from '../pods/pod-run.js';
import { StartFailure } from '../pods/start-failure.js';

/** After a failed pull the pod is looked at again soon, so that its status says that it waits for the next try. */
const SHOW_BACKOFF = 2000;

/** Tag or digest of an image name, if it has one. */
const REFERENCE = /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;

/** Makes the image of a container present, as its pull policy says, and resolves with its reference. Throws a {@link StartFailure}. */
export async function ensureImage(run: PodRun, container: V1Container, sandbox: PodSandboxConfig): Promise<string> {
  const { node, pod, backoff } = run;
  const { images } = node.runtime;
  const image = container.image ?? '';
  const event = (type: 'Normal' | 'Warning', reason: string, message: string): void => node.events.container(pod, container.name, type, reason, message);
  if (!REFERENCE.test(image)) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
    event('Warning', 'InspectFailed', message);
    throw new StartFailure('InvalidImageName', message);
  }
  const name = withTag(image);
  const policy = container.imagePullPolicy ?? (name.endsWith(':latest') ? 'Always' : 'IfNotPresent');
  const present = policy === 'Always' ? undefined : await images.imageStatus(name);
  if (present) {
    event('Normal', 'Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`);
    return present.ref;
  }
  if (policy === 'Never') {
    const message = `Container image "${image}" is not present with pull policy of Never`;
    event('Warning', 'ErrImageNeverPull', message);
    throw new StartFailure('ErrImageNeverPull', message);
  }
  const key = `image/${image}`;
  const left = backoff.remainingSinceUpdate(key, node.clock.now());
  if (left > 0) {
    const message = `Back-off pulling image "${image}"`;
    event('Normal', 'BackOff', message);
    run.wake(left);
    const before = run.reasons.get(container.name)?.message.replace(/^Back-off pulling image "[^"]*": /, '');
    throw new StartFailure('ImagePullBackOff', before ? `${message}: ${before.startsWith('ErrImagePull: ') ? before : `ErrImagePull: ${before}`}` : message);
  }
  event('Normal', 'Pulling', `Pulling image "${image}"`);
  const begun = node.clock.monotonic();
  let ref: string;
  try {
    const { auths, missing } = await pullCredentials(pod, name, node.references);
    if (missing.length > 0) node.events.pod(pod, 'Warning', 'FailedToRetrieveImagePullSecret', `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`);
    ref = await pullWith(images, name, auths, { sandbox, container: container.name });
  } catch (error) {
    const message = errorMessage(error);
    event('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
    const now = node.clock.now();
    backoff.next(key, now, now);
    run.wake(SHOW_BACKOFF);
    throw new StartFailure('ErrImagePull', message);
  }
  backoff.forget(key);
  const took = goDuration(Math.trunc(node.clock.monotonic() - begun));
  const size = (await images.imageStatus(name))?.sizeBytes ?? 0;
  event('Normal', 'Pulled', `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${size} bytes.`);
  return ref;
}

/** Tries the credentials in turn; without any, anonymously. Throws what the last try said. */
async function pullWith(images: ImageService, name: string, auths: readonly NonNullable<PullOptions['auth']>[], options: PullOptions): Promise<string> {
  let last: unknown;
  for (const auth of auths) {
    try {
      return await images.pullImage(name, { ...options, auth });
    } catch (error) {
      last = error;
    }
  }
  if (auths.length > 0) throw last;
  return images.pullImage(name, options);
}

function withTag(image: string): string {
  return image.includes('@') || image.lastIndexOf(':') > image.lastIndexOf('/') ? image : `${image}:latest`;
}
