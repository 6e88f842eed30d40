import { readFile, rm, writeFile } from 'node:fs/promises';
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { exists } from '../../../../base/files.js';
import type { OciProcess } from '../spec/oci.js';

/** A line of runc's log. */
interface LogLine {
  readonly level?: string;
  readonly msg?: string;
}

/** The files through which runc is told about a command, and tells about it. */
export class ExecFiles {
  readonly process: string;
  readonly pid: string;
  readonly log: string;

  /** They stand in `folder`, which exists and is on a tmpfs; `id` is unique there. */
  constructor(folder: string, id: string) {
    this.process = `${folder}/${id}.json`;
    this.pid = `${folder}/${id}.pid`;
    this.log = `${folder}/${id}.log`;
  }

  async write(process: OciProcess): Promise<void> {
    await writeFile(this.process, JSON.stringify(process), { mode: 0o600 });
  }

  /** The command's process, as the host numbers it; undefined as long as it was not started. */
  async readPid(): Promise<number | undefined> {
    const pid = Number(await readFile(this.pid, 'utf8').catch(() => ''));
    return pid > 0 ? pid : undefined;
  }

  /** Tells when runc writes down that the command was started; to be asked before runc runs. Returns a function that ends it. */
  onPid(listener: () => void): () => void {
    const name = basename(this.pid);
    const look = (): void => void exists(this.pid).then((there) => there && listener());
    const watcher = watch(dirname(this.pid), (_event, file) => {
      if (file === name || file === null) look();
    });
    watcher.on('error', look);
    return () => watcher.close();
  }

  /** What runc complained about. */
  async complaint(): Promise<string> {
    const lines = (await readFile(this.log, 'utf8').catch(() => '')).split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as LogLine).filter(({ level }) => level === 'error' || level === 'fatal').map(({ msg }) => msg ?? '').join('; ');
  }

  async remove(): Promise<void> {
    await Promise.all([this.process, this.pid, this.log].map((path) => rm(path, { force: true })));
  }
}
