import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

interface PemBlock {
  readonly type: string;
  readonly text: string;
}

/**
 * What is wrong with a certificate and its private key in PEM, worded as Go's TLS library does where it is
 * about the PEM blocks; undefined when they fit.
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificateBlocks = pemBlocks(certificate);
  const certificateBlock = certificateBlocks.find((block) => block.type === 'CERTIFICATE');
  if (certificateBlock === undefined) return certificateInputProblem(certificateBlocks);
  const keyBlocks = pemBlocks(key);
  const keyBlock = keyBlocks.find((block) => block.type === 'PRIVATE KEY' || block.type.endsWith(' PRIVATE KEY'));
  if (keyBlock === undefined) return keyInputProblem(keyBlocks);
  let leaf: X509Certificate;
  let privateKey: KeyObject;
  try {
    leaf = new X509Certificate(certificateBlock.text);
  } catch {
    return 'x509: malformed certificate';
  }
  try {
    privateKey = createPrivateKey(keyBlock.text);
  } catch {
    return 'tls: failed to parse private key';
  }
  return leaf.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

function certificateInputProblem(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (blocks.length === 1 && blocks[0]!.type.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${types(blocks)}`;
}

function keyInputProblem(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return 'tls: failed to find any PEM data in key input';
  if (blocks.length === 1 && blocks[0]!.type === 'CERTIFICATE') return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${types(blocks)}`;
}

const types = (blocks: readonly PemBlock[]): string => `[${blocks.map((block) => block.type).join(' ')}]`;

function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----\r?\n[\s\S]*?-----END \1-----/g)].map((match) => ({ type: match[1]!, text: match[0] }));
}
