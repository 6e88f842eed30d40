import { readFile } from 'node:fs/promises';

/** The places where something is mounted, in the order of mounting; a place with two mounts is there twice. Format: proc(5), `/proc/[pid]/mountinfo`. */
export function parseMountPoints(mountinfo: string, below: string): string[] {
  const result: string[] = [];
  const prefix = below.endsWith('/') ? below : `${below}/`;
  for (const line of mountinfo.split('\n')) {
    const field = line.split(' ', 5)[4];
    if (field === undefined) continue;
    const point = field.includes('\\') ? unescapeOctal(field) : field;
    if (point === below || point.startsWith(prefix)) result.push(point);
  }
  return result;
}

/** Blanks and the like are written as `\040`. The bytes of other characters are as they are. */
function unescapeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

/**
 * What is mounted on this host. The kernel writes the whole table for every reader, so it is read only when somebody has to know, and
 * those who ask while one reading is still to begin share it.
 */
export class MountTable {
  private running: Promise<string> | undefined;
  private next: Promise<string> | undefined;

  constructor(private readonly read: () => Promise<string> = () => readFile('/proc/self/mountinfo', 'utf8')) {}

  /** Mount points at and below a folder (an absolute path without links), as they are after this call was made. */
  async below(folder: string): Promise<string[]> {
    return parseMountPoints(await this.fresh(), folder);
  }

  /** A reading that begins after this call. */
  private fresh(): Promise<string> {
    if (this.next) return this.next;
    if (!this.running) return this.begin();
    const after = this.running.then(
      () => this.begin(),
      () => this.begin(),
    );
    this.next = after;
    return after;
  }

  private begin(): Promise<string> {
    this.next = undefined;
    const running = this.read().finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
