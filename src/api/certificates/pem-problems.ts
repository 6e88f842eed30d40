import { X509Certificate } from 'node:crypto';
import { parseCsr } from '../../base/tls/csr.js';

interface PemBlock {
  readonly type: string;
  readonly text: string;
  readonly hasHeaders: boolean;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([\s\S]*?)-----END \1-----/g;

/** What is wrong with the PEM of a certificate request, its signature included; undefined when nothing is. */
export function requestProblem(pem: string): string | undefined {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return parseCsr(block.text).verified ? undefined : 'x509: signature verification failed';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is wrong with an issued certificate in PEM; undefined when nothing is, or when there is none yet. */
export function certificateProblem(pem: string): string | undefined {
  if (pem === '') return undefined;
  const blocks = pemBlocks(pem);
  for (const block of blocks) {
    if (block.type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found "${block.type}"`;
    if (block.hasHeaders) return 'no PEM block headers are permitted';
    try {
      void new X509Certificate(block.text);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function pemBlocks(pem: string): PemBlock[] {
  return [...pem.matchAll(BLOCK)].map((match) => ({ type: match[1]!, text: match[0], hasHeaders: match[2]!.includes(':') }));
}
