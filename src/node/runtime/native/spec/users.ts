import type { V1PodSecurityContext, V1SecurityContext } from '../../../../api/generated/types.js';
import { KubeError } from '../../../../base/errors.js';
import type { OciUser } from './oci.js';
import { readInRoot } from './rootfs-path.js';

/** Of a hostile image's `/etc/passwd` no more is read. */
const LONGEST_FILE = 4 * 1024 * 1024;
const NUMBER = /^\d+$/;

/** Who a container runs as. */
export interface UserRequest {
  /** Mounted root file system, for `/etc/passwd` and `/etc/group`. */
  readonly rootfs: string;
  /** Of the image's configuration; empty: root. */
  readonly imageUser: string;
  readonly pod: V1PodSecurityContext | undefined;
  readonly container: V1SecurityContext | undefined;
}

/**
 * The user, group and supplemental groups of a container. As with a kubelet over containerd: the container's word counts before the
 * pod's and the image's; of the image's `user:group` only the user counts; the group comes from `/etc/passwd` unless it is given; the
 * groups of `/etc/group` are added unless the policy is `Strict`. Throws `KUBE_USER` when a name does not exist.
 */
export async function containerUser({ rootfs, imageUser, pod, container }: UserRequest): Promise<OciUser> {
  const wanted = container?.runAsUser ?? pod?.runAsUser;
  const user = wanted !== undefined ? String(wanted) : (imageUser.split(':')[0] ?? '') || '0';
  const passwd = parse(await readInRoot(rootfs, '/etc/passwd', LONGEST_FILE));
  const entry = NUMBER.test(user) ? passwd.find((line) => line[2] === user) : passwd.find((line) => line[0] === user);
  if (!entry && !NUMBER.test(user)) throw new KubeError('KUBE_USER', `unable to find user ${user}: no matching entries in passwd file`);
  const uid = Number(entry?.[2] ?? user);
  const gid = container?.runAsGroup ?? pod?.runAsGroup ?? Number(entry?.[3] ?? 0);
  if (!inRange(uid) || !inRange(gid)) throw new KubeError('KUBE_USER', `user ${uid}:${gid}: numbers of users and groups are 0 to 2147483647`);
  const groups = new Set([gid]);
  const name = entry?.[0];
  if (name !== undefined && pod?.supplementalGroupsPolicy !== 'Strict') {
    for (const group of parse(await readInRoot(rootfs, '/etc/group', LONGEST_FILE))) {
      if (group[3]?.split(',').includes(name) && NUMBER.test(group[2] ?? '')) groups.add(Number(group[2]));
    }
  }
  if (pod?.fsGroup !== undefined) groups.add(pod.fsGroup);
  for (const group of pod?.supplementalGroups ?? []) groups.add(group);
  return { uid, gid, additionalGids: [...groups].filter(inRange) };
}

function parse(text: string): string[][] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(':'));
}

function inRange(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= 0x7fffffff;
}
