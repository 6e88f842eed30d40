import { watch, type FSWatcher } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CancelTimer, Clock } from '../../base/clock.js';
import { errorMessage } from '../../base/errors.js';
import { readIfPresent } from '../../base/files.js';
import type { Logger } from '../../base/log.js';
import { parseIp } from '../../base/net/ip.js';

/** Address and port of a DNS server. */
export interface DnsServer {
  readonly address: string;
  readonly port: number;
}

/** Where systemd-resolved, whose stub listens on {@link STUBS}, keeps the servers that it asks. */
const REAL_FILE = '/run/systemd/resolve/resolv.conf';
const STUBS = new Set(['127.0.0.53', '127.0.0.54']);
/** A file that is replaced gives several events. */
const SETTLE_MILLISECONDS = 100;

/** `ADDRESS`, `ADDRESS:PORT`, `[ADDRESS]:PORT`; undefined for anything else. A zone (`fe80::1%eth0`) may follow the address. */
export function parseServer(text: string): DnsServer | undefined {
  const bracket = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text);
  const simple = bracket ?? (text.indexOf(':') === text.lastIndexOf(':') ? /^([^:]+)(?::(\d{1,5}))?$/.exec(text) : [text, text]);
  const address = simple?.[1] ?? '';
  const port = Number(simple?.[2] ?? 53);
  return parseIp(address.replace(/%.+$/, '')) && port > 0 && port < 65_536 ? { address, port } : undefined;
}

/** The `nameserver` lines of a resolv.conf(5). */
export function parseResolvConf(text: string): DnsServer[] {
  const servers: DnsServer[] = [];
  for (const line of text.split('\n')) {
    const [keyword, value = ''] = line.trim().split(/\s+/);
    const server = keyword === 'nameserver' ? parseServer(value) : undefined;
    if (server) servers.push(server);
  }
  return servers;
}

/** What {@link ResolvConf} needs. */
export interface ResolvConfOptions {
  readonly path: string;
  /** Instead of systemd's; for tests. */
  readonly realPath?: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changed: (servers: readonly DnsServer[]) => void;
}

/** Follows a resolv.conf. Where it names the stub of systemd-resolved only, the file with the real servers is taken, if there is one. */
export class ResolvConf {
  private watchers: FSWatcher[] = [];
  private watched = '';
  private cancel: CancelTimer | undefined;
  private stopped = false;
  private last = '';

  constructor(private readonly options: ResolvConfOptions) {}

  /** Resolves when the file was read once; never rejects. */
  async start(): Promise<void> {
    await this.read();
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
    for (const watcher of this.watchers.splice(0)) watcher.close();
  }

  private async read(): Promise<void> {
    const { path, realPath = REAL_FILE, log } = this.options;
    try {
      let servers = parseResolvConf((await readIfPresent(path)) ?? '');
      const stub = servers.length > 0 && servers.every(({ address }) => STUBS.has(address));
      if (stub) {
        const real = parseResolvConf((await readIfPresent(realPath)) ?? '').filter(({ address }) => !STUBS.has(address));
        if (real.length > 0) servers = real;
      }
      if (this.stopped) return;
      const text = JSON.stringify(servers);
      if (text !== this.last) this.options.changed(servers);
      this.last = text;
      await this.watchFolders(stub ? [path, realPath] : [path]);
    } catch (error) {
      log.warn('reading the servers for other names failed; the former ones stay', { file: path, error: errorMessage(error) });
    }
  }

  /** Folders, since the files are replaced as a whole; also those that links lead to. */
  private async watchFolders(paths: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const path of paths) {
      folders.add(dirname(path));
      const real = await realpath(path).catch(() => path);
      folders.add(dirname(real));
    }
    const watched = [...folders].sort().join('\n');
    if (this.stopped || watched === this.watched) return;
    this.watched = watched;
    for (const watcher of this.watchers.splice(0)) watcher.close();
    for (const folder of folders) {
      try {
        const watcher = watch(folder, { persistent: false }, () => this.later());
        watcher.on('error', () => watcher.close());
        this.watchers.push(watcher);
      } catch (error) {
        this.options.log.debug('a folder cannot be watched', { folder, error: errorMessage(error) });
      }
    }
  }

  private later(): void {
    if (this.stopped || this.cancel) return;
    this.cancel = this.options.clock.setTimeout(() => {
      this.cancel = undefined;
      void this.read();
    }, SETTLE_MILLISECONDS, { unref: true });
  }
}
