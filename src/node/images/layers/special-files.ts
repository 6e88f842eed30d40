import { pack, type Header } from 'tar-stream';
import { runChecked } from '../../../base/process/run-checked.js';
import type { Commands } from '../../../base/process/commands.js';
import type { Attributes } from './layer-tree.js';

/** So many go to one run of tar. */
const BATCH = 20_000;

const ARGUMENTS = [
  '--extract', '--file=-', '--numeric-owner', '--same-owner', '--same-permissions', '--xattrs', '--xattrs-include=trusted.overlay.opaque', '--xattrs-include=security.capability', '--xattrs-include=user.*',
];

type TarHeader = Partial<Header> & Pick<Header, 'name'>;

interface Special {
  readonly header: TarHeader;
  readonly content?: Buffer;
}

/**
 * What Node.js cannot make: whiteouts (character devices 0/0), opaque folders (an extended attribute), named pipes, and files with
 * extended attributes. GNU tar makes them, in batches; its input holds nothing else, and every path in it was made by us.
 */
export class SpecialFiles {
  private pending: Special[] = [];

  constructor(private readonly commands: Commands, private readonly folder: string) {}

  /** overlayfs' way to say that a name is deleted. */
  async whiteout(path: string): Promise<void> {
    await this.add({ header: { name: path, type: 'character-device', mode: 0, uid: 0, gid: 0, mtime: new Date(0), devmajor: 0, devminor: 0 } });
  }

  /** overlayfs' way to say that a folder hides those below. */
  async opaque(path: string, attributes: Attributes): Promise<void> {
    await this.add({ header: { ...headers(path, attributes), type: 'directory', pax: { 'SCHILY.xattr.trusted.overlay.opaque': 'y' } } });
  }

  async fifo(path: string, attributes: Attributes): Promise<void> {
    await this.add({ header: { ...headers(path, attributes), type: 'fifo' } });
  }

  /** A regular file with extended attributes. */
  async file(path: string, attributes: Attributes, content: Buffer, xattrs: Readonly<Record<string, string>>): Promise<void> {
    await this.add({ header: { ...headers(path, attributes), type: 'file', size: content.length, pax: pax(xattrs) }, content });
    await this.flush();
  }

  /** Makes what was asked for so far. */
  async flush(): Promise<void> {
    if (this.pending.length === 0) return;
    const batch = this.pending;
    this.pending = [];
    await runChecked(this.commands, 'tar', ARGUMENTS, { cwd: this.folder, input: await archive(batch) });
  }

  private async add(special: Special): Promise<void> {
    this.pending.push(special);
    if (this.pending.length >= BATCH) await this.flush();
  }
}

function headers(name: string, { mode, uid, gid, mtime }: Attributes): TarHeader {
  return { name, mode, uid, gid, mtime: new Date(mtime * 1000) };
}

function pax(xattrs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(xattrs).map(([name, value]) => [`SCHILY.xattr.${name}`, value]));
}

function archive(batch: readonly Special[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tar = pack();
    const chunks: Buffer[] = [];
    tar.on('data', (chunk) => chunks.push(chunk as Buffer));
    tar.on('end', () => resolve(Buffer.concat(chunks)));
    tar.on('error', reject);
    for (const { header, content } of batch) {
      if (content) tar.entry(header, content);
      else tar.entry(header);
    }
    tar.finalize();
  });
}
