import type { LogOptions } from '../types.js';
import { LogFollower } from './follower.js';
import { LogFile, splitLines } from './log-file.js';
import { formatRecordTime, parseRecord, type LogRecord } from './record.js';

/**
 * The log of a container, from its file in CRI's format, by the kubelet's rules: only the present file is read, `tailLines` counts
 * lines of the file, `limitBytes` counts what is given out. With `follow` it goes on across rotations until `ended` aborts (the
 * container printed its last) and all is read. Throws `KUBE_LOG` when the file cannot be opened.
 */
export async function* readContainerLog(path: string, options: LogOptions, ended: AbortSignal): AsyncGenerator<Buffer> {
  const file = await LogFile.open(path);
  const format = new RecordFormat(options);
  const blocks = options.follow ? new LogFollower(path, file, { ended, signal: options.signal }).blocks() : fileBlocks(file, options.signal);
  try {
    if (options.tailLines !== undefined) await file.seekTail(options.tailLines);
    if (format.full) return;
    for await (const block of blocks) {
      const text = format.convert(block);
      if (text.length > 0) yield text;
      if (format.full) return;
    }
  } finally {
    // A generator that was never begun closes nothing.
    await blocks.return(undefined);
    await file.close().catch(() => undefined);
  }
}

async function* fileBlocks(file: LogFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let block = await file.read(); block && !signal.aborted; block = await file.read()) yield block;
  const rest = file.takeRest();
  if (rest && !signal.aborted) yield rest;
}

/** Turns lines of the file into what is shown. */
class RecordFormat {
  private bytesLeft: number;
  private linesLeft: number;
  private atLineStart = true;

  constructor(private readonly options: LogOptions) {
    this.bytesLeft = options.limitBytes ?? Infinity;
    this.linesLeft = options.follow ? Infinity : (options.tailLines ?? Infinity);
  }

  /** Nothing more will be shown. */
  get full(): boolean {
    return this.bytesLeft <= 0 || this.linesLeft <= 0;
  }

  convert(block: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (const line of splitLines(block)) {
      if (this.full) break;
      const record = parseRecord(line);
      if (!record) continue;
      if (this.wanted(record)) {
        if (this.options.timestamps && this.atLineStart) this.add(parts, Buffer.from(`${formatRecordTime(record.time)} `));
        this.add(parts, record.content);
      }
      this.linesLeft--;
      this.atLineStart = record.content.length === 0 || record.content.at(-1) === 0x0a;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  private wanted(record: LogRecord): boolean {
    const { stream, since } = this.options;
    return (stream === undefined || stream === record.stream) && (since === undefined || Date.parse(record.time) >= since);
  }

  private add(parts: Buffer[], bytes: Buffer): void {
    const part = bytes.length > this.bytesLeft ? bytes.subarray(0, this.bytesLeft) : bytes;
    this.bytesLeft -= part.length;
    parts.push(part);
  }
}
