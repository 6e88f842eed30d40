import { createHash, type Hash } from 'node:crypto';
import { refused } from './image-error.js';

/** Hexadecimal digits of each algorithm that the OCI image specification registers and that is secure. */
const LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** Whether `text` is a digest of a known algorithm: `sha256:` and 64 lower-case hexadecimal digits, and so on. */
export function isDigest(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const colon = text.indexOf(':');
  const length = LENGTHS[text.slice(0, colon)];
  return colon > 0 && length !== undefined && text.length === colon + 1 + length && /^[0-9a-f]+$/.test(text.slice(colon + 1));
}

/** `sha256:…` of some bytes. */
export function sha256(bytes: Buffer | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The part after the colon. */
export function hexOf(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}

/** Takes bytes piece by piece and compares them with a digest at the end. */
export class DigestVerifier {
  private readonly hash: Hash;

  constructor(private readonly expected: string) {
    this.hash = createHash(expected.slice(0, expected.indexOf(':')));
  }

  update(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Throws `KUBE_IMAGE_REFUSED` when the bytes were others; `what` names them. */
  verify(what: string): void {
    const actual = `${this.expected.slice(0, this.expected.indexOf(':'))}:${this.hash.digest('hex')}`;
    if (actual !== this.expected) throw refused(`${what} has the wrong digest: expected ${this.expected}, got ${actual}`);
  }
}

/** {@link DigestVerifier} for bytes that are all there. */
export function verifyDigest(bytes: Buffer, expected: string, what: string): void {
  const verifier = new DigestVerifier(expected);
  verifier.update(bytes);
  verifier.verify(what);
}
