/** The first block of this type in a PEM text; undefined when there is none. */
export function pemBlock(text: string, type: string): Buffer | undefined {
  return pemBlocks(text, type)[0];
}

/** Every block of this type (`CERTIFICATE`, `CERTIFICATE REQUEST`, …) in a PEM text. */
export function pemBlocks(text: string, type: string): Buffer[] {
  const blocks: Buffer[] = [];
  const pattern = /-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]*?)-----END \1-----/g;
  for (const match of text.matchAll(pattern)) if (match[1] === type) blocks.push(Buffer.from(match[2]!, 'base64'));
  return blocks;
}

/** A PEM block with lines of 64 characters and a final newline. */
export function toPem(type: string, bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}
