import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { SystemClock, sleep } from './clock.js';
import { errorCode, KubeError } from './errors.js';

const CHUNK_BYTES = 65_536;
const POLL_MILLISECONDS = 20;
const WRITER_MILLISECONDS = 1_000;

/**
 * The content of a file that the user named. Pipes are read to their end, so that a shell's `<(command)` can be named. Whatever else is no
 * file is refused instead of being read for ever: `KUBE_NOT_A_FILE` with words such as "it is a device"; others are Node's own errors, such as ENOENT.
 */
export async function readSettingsFile(path: string): Promise<Buffer> {
  // Opened like this, a pipe that nobody has open for writing does not keep the thread.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return await handle.readFile();
    if (!stats.isFIFO()) throw new KubeError('KUBE_NOT_A_FILE', `it is a ${typeOf(stats)}, not a file`);
    return await readPipe(handle);
  } finally {
    await handle.close();
  }
}

/** A writer that waits for a reader needs a moment once there is one; until then the pipe looks as if it had ended. */
async function readPipe(handle: FileHandle): Promise<Buffer> {
  const clock = new SystemClock();
  const began = clock.monotonic();
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = await readReady(handle);
    if (chunk && chunk.length > 0) chunks.push(chunk);
    else if (chunk && chunks.length > 0) return Buffer.concat(chunks);
    else if (chunk && clock.monotonic() - began > WRITER_MILLISECONDS) throw new KubeError('KUBE_NOT_A_FILE', 'it is a pipe into which nobody writes');
    else await sleep(clock, POLL_MILLISECONDS);
  }
}

/** What the pipe has now; empty when nobody has it open for writing, undefined when somebody has but nothing has come. */
async function readReady(handle: FileHandle): Promise<Buffer | undefined> {
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

function typeOf(stats: Stats): string {
  if (stats.isDirectory()) return 'folder';
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'device' : 'special file';
}
