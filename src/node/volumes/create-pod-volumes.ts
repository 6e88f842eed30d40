import { readdir } from 'node:fs/promises';
import type { V1Container, V1Pod } from '../../api/generated/types.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import type { Clock } from '../../base/clock.js';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Commands } from '../../base/process/commands.js';
import type { Random } from '../../base/random.js';
import type { Client } from '../../client/index.js';
import type { NodeHost } from '../host.js';
import type { References } from '../references/references.js';
import type { Mount } from '../runtime/index.js';
import { versionName } from './content/atomic-writer.js';
import { ContentKeeper } from './content/content-keeper.js';
import { ObjectWatches } from './content/object-watches.js';
import { ServiceAccountTokens } from './content/service-account-tokens.js';
import { ContainerMounts } from './container-mounts.js';
import { DiskUsage } from './host/disk-usage.js';
import { Mounter } from './host/mounter.js';
import { PodPaths } from './host/pod-paths.js';
import { removePodFolder } from './host/remove-pod-folder.js';
import { HostEntry } from './host-entry.js';
import type { ContainerDevices, PodVolumes } from './pod-volumes.js';
import { setUpVolumes } from './set-up-volumes.js';
import { holder, imageVolumes, type VolumeImages } from './sources/image.js';
import type { SourceServices } from './sources/source-context.js';
import { VolumeError } from './volume-error.js';

/** Settings of the volumes of one node. */
export interface PodVolumesOptions {
  /** Volumes are kept below `<stateFolder>/pods/<uid>`, with the same names as upstream's. */
  readonly host: NodeHost;
  readonly nodeName: string;
  /** What pods may take from the node, as quantities: bounds volumes in memory. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Default 200: objects beyond this number are fetched every minute instead of watched. */
  readonly maxWatches?: number;
}

/** What real volumes need. */
export interface PodVolumesEnvironment {
  readonly commands: Commands;
  readonly references: References;
  /** May get and watch the config maps and secrets of the node's pods by name, get their claims and volumes, and ask for tokens of their service accounts. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: image volumes are not supported. */
  readonly images?: VolumeImages;
}

/** Volumes of real pods. Nothing is done before the first call. */
export function createPodVolumes(options: PodVolumesOptions, environment: PodVolumesEnvironment): PodVolumes {
  return new HostVolumes(options, environment);
}

class HostVolumes implements PodVolumes {
  private readonly entries = new Map<string, HostEntry>();
  private readonly paths: PodPaths;
  private readonly mounter: Mounter;
  private readonly watches: ObjectWatches;
  private readonly tokens: ServiceAccountTokens;
  private readonly usageMeter: DiskUsage;
  private readonly keeper: ContentKeeper;
  private readonly mounts: ContainerMounts;
  private readonly services: SourceServices;
  private readonly log: Logger;

  constructor(
    options: PodVolumesOptions,
    private readonly environment: PodVolumesEnvironment,
  ) {
    const { commands, client, clock, random } = environment;
    const log = (this.log = environment.log.child({ node: options.nodeName }));
    const version = (): string => versionName(clock.now(), random.bytes(5).toString('hex'));
    this.paths = new PodPaths(options.host);
    this.mounter = new Mounter(commands);
    this.watches = new ObjectWatches({ client, references: environment.references, clock, random, log }, options.maxWatches);
    this.tokens = new ServiceAccountTokens({ client, clock, random, log });
    this.usageMeter = new DiskUsage(commands, clock);
    this.keeper = new ContentKeeper({ watches: this.watches, clock, log, version });
    this.mounts = new ContainerMounts(this.paths, this.mounter, log);
    this.services = {
      paths: this.paths, commands, client, watches: this.watches, tokens: this.tokens, allocatable: options.allocatable, references: environment.references, images: environment.images, version,
    };
  }

  async setUp(pod: V1Pod): Promise<void> {
    const uid = pod.metadata?.uid ?? '';
    let entry = this.entries.get(uid);
    if (!entry) {
      entry = new HostEntry(pod);
      this.entries.set(uid, entry);
    }
    this.follow(pod);
    await setUpVolumes(entry, pod, { services: this.services, mounter: this.mounter, ready: (volume) => this.keeper.begin(entry, volume, pod) });
  }

  async adopt(pod: V1Pod): Promise<void> {
    try {
      await this.setUp(pod);
    } catch (error) {
      this.log.debug('volumes of a running pod could not all be taken up', { pod: pod.metadata?.name, namespace: pod.metadata?.namespace, error: errorMessage(error) });
    }
  }

  follow(pod: V1Pod): void {
    const entry = this.entries.get(pod.metadata?.uid ?? '');
    if (!entry || entry.pod === pod) return;
    const before = entry.pod;
    entry.pod = pod;
    if (showsOther(pod, before)) this.keeper.podChanged(entry);
  }

  containerMounts(pod: V1Pod, container: V1Container, environment: ReadonlyMap<string, string>): Promise<readonly Mount[]> {
    const entry = this.entries.get(pod.metadata?.uid ?? '') ?? new HostEntry(pod);
    return entry.serialize(() => this.mounts.of(entry, container, environment));
  }

  containerDevices(pod: V1Pod, container: V1Container): ContainerDevices {
    return this.mounts.devices(this.entries.get(pod.metadata?.uid ?? ''), container);
  }

  supplementalGroups(podUid: string): readonly number[] {
    const groups = new Set<number>();
    for (const { supplementalGroup } of this.entries.get(podUid)?.volumes.values() ?? []) if (supplementalGroup !== undefined) groups.add(supplementalGroup);
    return [...groups];
  }

  async tearDown(podUid: string): Promise<void> {
    if (!isUid(podUid)) throw new VolumeError([`not the UID of a pod: ${JSON.stringify(podUid)}`]);
    const entry = this.entries.get(podUid);
    entry?.close();
    const { commands, images } = this.environment;
    const remove = async (): Promise<void> => {
      const held = images ? await imageVolumes(this.paths, podUid) : [];
      await removePodFolder(commands, this.mounter, this.paths.pod(podUid));
      for (const name of held) await images?.release(holder(podUid, name));
    };
    await (entry ? entry.serialize(remove) : remove());
    this.entries.delete(podUid);
    this.tokens.forget(podUid);
    this.usageMeter.forget(podUid);
  }

  async collect(known: ReadonlySet<string>): Promise<void> {
    for (const uid of await this.podsOnDisk()) {
      if (known.has(uid) || this.entries.has(uid)) continue;
      try {
        await this.tearDown(uid);
      } catch (error) {
        this.log.warn('what a pod left behind could not be removed', { uid, error: errorMessage(error) });
      }
    }
  }

  usage(podUid: string): Promise<ReadonlyMap<string, number>> {
    const folders = new Map<string, string>();
    for (const [name, { counted, hostPath }] of this.entries.get(podUid)?.volumes ?? []) if (counted) folders.set(name, hostPath);
    return this.usageMeter.measure(podUid, folders);
  }

  folders(podUid: string): ReadonlyMap<string, string> {
    const folders = new Map<string, string>();
    for (const [name, { hostPath }] of this.entries.get(podUid)?.volumes ?? []) if (hostPath !== '') folders.set(name, hostPath);
    return folders;
  }

  stop(): void {
    for (const entry of this.entries.values()) entry.close();
    this.watches.stop();
  }

  private async podsOnDisk(): Promise<string[]> {
    try {
      return (await readdir(this.paths.root)).filter(isUid);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

/** Whether files made of the pod's fields may differ. */
function showsOther(pod: V1Pod, before: V1Pod): boolean {
  const [now, then] = [pod.metadata, before.metadata];
  return now?.generation !== then?.generation || !deepEqual(now?.labels, then?.labels) || !deepEqual(now?.annotations, then?.annotations);
}

/** A name that stays in its folder: static pods have UIDs of other forms than others. */
function isUid(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text);
}
