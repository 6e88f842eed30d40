import { posix } from 'node:path';

const MAX_NAME = 255;
const MAX_PATH = 4096;

/** The clean form of a file's path in a volume. Throws with upstream's message when it could lie outside or clash with the volume's own names. */
export function cleanPayloadPath(path: string): string {
  if (path === '') throw new Error(`invalid path: must not be empty: ${JSON.stringify(path)}`);
  if (path.startsWith('/')) throw new Error(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > MAX_PATH) throw new Error(`invalid path: must be less than or equal to ${MAX_PATH} characters`);
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '..') throw new Error(`invalid path: must not contain '..': ${path}`);
    if (Buffer.byteLength(part) > MAX_NAME) throw new Error(`invalid path: filenames must be less than or equal to ${MAX_NAME} characters`);
  }
  if (path.includes('\0')) throw new Error(`invalid path: must not contain NUL: ${JSON.stringify(path)}`);
  if (parts[0]!.startsWith('..') && parts[0]!.length > 2) throw new Error(`invalid path: must not start with '..': ${path}`);
  const clean = posix.normalize(path).replace(/\/+$/, '');
  // Also what hides behind `./`.
  if (clean.startsWith('..')) throw new Error(`invalid path: must not start with '..': ${path}`);
  if (clean === '.') throw new Error(`invalid path: must not be empty: ${JSON.stringify(path)}`);
  return clean;
}
