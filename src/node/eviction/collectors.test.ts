import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../base/clock.js';
import { silentLogger } from '../../base/log.js';
import type { ContainerStatus, PodSandboxStatus } from '../runtime/index.js';
import { ContainerCollector } from './container-collector.js';
import { ImageCollector, readableBytes } from './image-collector.js';

describe('images', () => {
  function collector(results: (() => { usagePercent: number; wantedBytes: number; freedBytes: number; removed: never[] })[]): { readonly clock: FakeClock; readonly images: ImageCollector; readonly warnings: string[]; readonly calls: () => number } {
    const clock = new FakeClock();
    const warnings: string[] = [];
    let calls = 0;
    const images = new ImageCollector({
      clock, log: silentLogger, capacity: () => Promise.resolve(10 * 1024 ** 3), warn: (reason, message) => warnings.push(`${reason} ${message}`),
      images: { collect: () => Promise.resolve().then(() => results[Math.min(calls++, results.length - 1)]!()) },
    });
    return { clock, images, warnings, calls: () => calls };
  }

  test('are collected every five minutes', async () => {
    const { clock, images, calls, warnings } = collector([() => ({ usagePercent: 10, wantedBytes: 0, freedBytes: 0, removed: [] })]);
    await images.start();
    await clock.advance(299_000);
    expect(calls()).toBe(1);
    await clock.advance(1000);
    expect(calls()).toBe(2);
    await images.stop();
    await clock.advance(600_000);
    expect(calls()).toBe(2);
    expect(warnings).toEqual([]);
  });

  test('a disk that stays full is an event each time, the failure itself from the second time on', async () => {
    const { images, warnings } = collector([() => ({ usagePercent: 91, wantedBytes: 100, freedBytes: 40, removed: [] })]);
    const full = 'Insufficient free disk space on the node\'s image filesystem (91% of 10.0 GiB used). Failed to free sufficient space by deleting unused images (freed 40 bytes). '
      + 'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.';
    await images.collect();
    expect(warnings).toEqual([`FreeDiskSpaceFailed ${full}`]);
    await images.collect();
    expect(warnings.slice(1)).toEqual([`FreeDiskSpaceFailed ${full}`, `ImageGCFailed ${full}`]);
  });

  test('sizes are told with one digit after the point', () => {
    expect([0, 1023, 1024, 1536 * 1024, 5 * 1024 ** 4].map(readableBytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 MiB', '5.0 TiB']);
  });
});

describe('dead containers', () => {
  const container = (id: string, podUid: string, state: ContainerStatus['state'], sandboxId = `s-${podUid}`): ContainerStatus => ({
    id, sandboxId, podUid, name: 'app', attempt: 0, kind: 'regular', state, createdAt: 0, startedAt: 0, finishedAt: 0, exitCode: 0, image: '', imageRef: '', reason: '', message: '', specHash: '',
  });
  const sandbox = (id: string, uid: string, state: PodSandboxStatus['state']): PodSandboxStatus => ({ id, metadata: { name: uid, namespace: 'default', uid, attempt: 0 }, state, createdAt: 0, ips: [], hostNetwork: false });

  async function collect(thorough: boolean): Promise<{ readonly removed: string[]; readonly logs: string[] }> {
    const logFolder = await mkdtemp(join(tmpdir(), 'kube-collect-'));
    try {
      for (const name of ['default_live_live', 'default_gone_gone', 'default_ended_ended', 'something else']) await mkdir(join(logFolder, name));
      const removed: string[] = [];
      let containers = [container('live-2', 'live', 'running'), container('live-1', 'live', 'exited'), container('live-0', 'live', 'exited'), container('ended-0', 'ended', 'exited'), container('gone-0', 'gone', 'exited')];
      let sandboxes = [sandbox('s-live', 'live', 'ready'), sandbox('s-old', 'live', 'notready'), sandbox('s-ended', 'ended', 'notready'), sandbox('s-gone', 'gone', 'notready')];
      const collector = new ContainerCollector({
        clock: new FakeClock(), log: silentLogger, logFolder, known: () => new Set(['live', 'ended']), finished: () => new Set(['ended']), warn: () => undefined,
        runtime: {
          listContainers: () => Promise.resolve(containers),
          listPodSandbox: () => Promise.resolve(sandboxes),
          removeContainer: (id) => {
            removed.push(id);
            containers = containers.filter((item) => item.id !== id);
            return Promise.resolve();
          },
          removePodSandbox: (id) => {
            removed.push(id);
            sandboxes = sandboxes.filter((item) => item.id !== id);
            return Promise.resolve();
          },
        },
      });
      await collector.collect(thorough);
      return { removed: removed.sort(), logs: (await readdir(logFolder)).sort() };
    } finally {
      await rm(logFolder, { recursive: true });
    }
  }

  test('the last one of each container stays, with its sandbox and logs; what gone pods left goes', async () => {
    expect(await collect(false)).toEqual({ removed: ['gone-0', 'live-0', 's-gone', 's-old'], logs: ['default_ended_ended', 'default_live_live', 'something else'] });
  });

  test('when the disk is full, those of ended pods go too', async () => {
    expect((await collect(true)).removed).toEqual(['ended-0', 'gone-0', 'live-0', 's-gone', 's-old']);
  });
});
