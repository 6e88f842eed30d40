// A file tree in memory that becomes a layer: sorted, owned by root, without times, so that the same files give the same bytes.
import { readFile, realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { pack } from 'tar-stream';
import { run } from '../lib/debian.mjs';

const EPOCH = new Date(0);

/** Files, folders and links by path; folders above are made by themselves. */
export class Tree {
  #entries = new Map();

  folder(path, mode = 0o755, owner = 0) {
    this.#add(path, { type: 'directory', mode, uid: owner, gid: owner });
    return this;
  }

  file(path, content, mode = 0o644) {
    this.#add(path, { type: 'file', mode, content: Buffer.from(content) });
    return this;
  }

  link(path, target) {
    this.#add(path, { type: 'symlink', mode: 0o777, linkname: target });
    return this;
  }

  has(path) {
    return this.#entries.has(path);
  }

  /** A file of the host under the same path; links to it are followed. */
  async copy(path, to = path) {
    const source = await realpath(path);
    const { mode } = await stat(source);
    return this.file(to.replace(/^\//, ''), await readFile(source), mode & 0o755);
  }

  /** A program of the host with the shared libraries that it loads. */
  async program(path) {
    await this.copy(path);
    for (const line of (await run('ldd', [path])).split('\n')) {
      const library = /(?:=> |^\s+)(\/\S+) \(0x/.exec(line)?.[1];
      if (library && !this.has(library.slice(1))) await this.copy(library);
    }
    return this;
  }

  /** The layer as an uncompressed tar. */
  async tar() {
    const tar = pack();
    const chunks = [];
    tar.on('data', (chunk) => chunks.push(chunk));
    const done = new Promise((resolve, reject) => tar.on('end', resolve).on('error', reject));
    for (const path of [...this.#entries.keys()].sort()) {
      const { content, ...header } = this.#entries.get(path);
      const whole = { uid: 0, gid: 0, mtime: EPOCH, ...header, name: header.type === 'directory' ? `${path}/` : path };
      if (content) tar.entry({ ...whole, size: content.length }, content);
      else tar.entry(whole);
    }
    tar.finalize();
    await done;
    return Buffer.concat(chunks);
  }

  #add(path, entry) {
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) {
      if (!this.#entries.has(above)) this.#entries.set(above, { type: 'directory', mode: 0o755 });
    }
    this.#entries.set(path, entry);
  }
}
