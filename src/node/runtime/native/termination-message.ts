import { open } from 'node:fs/promises';
import { errorCode } from '../../../base/errors.js';

/** Upstream's limits: bytes of the file, and lines and bytes of the log in its stead. */
const MAX_FILE_BYTES = 4096;
const MAX_LOG_LINES = 80;
const MAX_LOG_BYTES = 2048;
/** So much of the log is looked at: 80 lines that conmon wrote whole, and more. */
const LOG_TAIL_BYTES = 256 * 1024;

/** What a container said at its end: the end of its file or, with the policy `FallbackToLogsOnError`, the end of its log when it failed and wrote none. */
export async function terminationMessage(options: { readonly file: string; readonly policy: string; readonly logPath: string; readonly exitCode: number }): Promise<string> {
  const said = await readEnd(options.file, MAX_FILE_BYTES);
  if (said !== '' || options.exitCode === 0 || options.policy !== 'FallbackToLogsOnError') return said;
  return logEnd(await readEnd(options.logPath, LOG_TAIL_BYTES));
}

/** The last lines of a log in the CRI format, as plain text. */
export function logEnd(log: string): string {
  let text = '';
  for (const line of log.split('\n')) {
    const match = /^\S+ std(?:out|err) ([PF])(?::\S*)? (.*)$/s.exec(line);
    if (match) text += match[1] === 'F' ? `${match[2]!}\n` : match[2]!;
  }
  const lines = text.split('\n');
  const last = Buffer.from(lines.slice(-MAX_LOG_LINES - 1).join('\n'));
  return wholeCharacters(last.subarray(Math.max(0, last.length - MAX_LOG_BYTES)));
}

async function readEnd(path: string, limit: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const length = Math.min(size, limit);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
      return wholeCharacters(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Without the rest of a character that the cut went through. */
function wholeCharacters(bytes: Buffer): string {
  let start = 0;
  while (start < Math.min(3, bytes.length) && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start).toString();
}
