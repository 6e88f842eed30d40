import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness in the program; tests inject a seeded one. */
export interface Random {
  /** A number in [0, 1). */
  float(): number;
  /** A random (version 4) UUID in its canonical text form. */
  uuid(): string;
  /** `length` characters of the alphabet that Kubernetes uses for generated names (no vowels, no look-alikes). */
  suffix(length: number): string;
  /** Cryptographically strong bytes. */
  bytes(length: number): Buffer;
}

const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Randomness from the operating system. */
export class SystemRandom implements Random {
  float(): number {
    return Math.random();
  }

  uuid(): string {
    return randomUUID();
  }

  suffix(length: number): string {
    return pick(length, () => this.float());
  }

  bytes(length: number): Buffer {
    return randomBytes(length);
  }
}

/** A repeatable source for tests (mulberry32). Never use it for secrets. */
export class SeededRandom implements Random {
  private state: number;

  constructor(seed = 1) {
    this.state = seed >>> 0;
  }

  float(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const hex = this.bytes(16);
    hex[6] = (hex[6]! & 0x0f) | 0x40;
    hex[8] = (hex[8]! & 0x3f) | 0x80;
    const text = hex.toString('hex');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
  }

  suffix(length: number): string {
    return pick(length, () => this.float());
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => Math.floor(this.float() * 256)));
  }
}

function pick(length: number, float: () => number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += NAME_ALPHABET[Math.floor(float() * NAME_ALPHABET.length)];
  return text;
}
