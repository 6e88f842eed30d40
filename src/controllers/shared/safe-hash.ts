const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short, stable name part for JSON data: FNV-1a over the data with sorted keys, and the collision count when there was one, in the
 * alphabet of generated names, up to 10 characters. Undefined fields do not count.
 */
export function safeHash(value: unknown, collisionCount?: number): string {
  let hash = fnv(0x811c9dc5, canonical(value));
  if (collisionCount !== undefined) hash = fnv(hash, `#${collisionCount}`);
  return safeEncode(String(hash));
}

/** Replaces characters so that no words can come out. */
function safeEncode(text: string): string {
  let encoded = '';
  for (let i = 0; i < text.length; i++) encoded += ALPHABET[text.charCodeAt(i) % ALPHABET.length];
  return encoded;
}

function fnv(seed: number, text: string): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** JSON with the keys of objects sorted. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = value as Record<string, unknown>;
  const fields = Object.keys(object).filter((key) => object[key] !== undefined).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonical(object[key])}`).join(',')}}`;
}
