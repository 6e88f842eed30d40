import type { Extract, Header } from 'tar-stream';
import { refused } from '../image-error.js';
import type { Attributes } from './layer-tree.js';

const XATTR = 'SCHILY.xattr.';

/** Ids are unsigned 32-bit numbers without the last, which means "unchanged". */
const HIGHEST_ID = 2 ** 32 - 2;

/** An entry of a tar with its content. */
export type TarEntry = Extract extends AsyncIterable<infer T> ? T : never;

/** Records of its pax header. */
export function paxOf(header: Header): Readonly<Record<string, string>> {
  return (header.pax as Record<string, string> | null | undefined) ?? {};
}

/** Owner, mode and time of an entry; what a pax header says more exactly counts. */
export function attributesOf(header: Header, what: string): Attributes {
  const pax = paxOf(header);
  const uid = pax.uid === undefined ? (header.uid ?? 0) : Number(pax.uid);
  const gid = pax.gid === undefined ? (header.gid ?? 0) : Number(pax.gid);
  for (const [field, id] of [['uid', uid], ['gid', gid]] as const) if (!Number.isInteger(id) || id < 0 || id > HIGHEST_ID) throw refused(`${what}: its ${field} ${id} is not between 0 and ${HIGHEST_ID}`);
  const mtime = pax.mtime === undefined ? (header.mtime?.getTime() ?? 0) / 1000 : Number(pax.mtime);
  return { mode: (header.mode ?? 0o644) & 0o7777, uid, gid, mtime: Number.isFinite(mtime) ? mtime : 0 };
}

/**
 * Extended attributes of an entry that matter to containers. The tar reader decodes pax records as UTF-8, so a value that is not is
 * lost; those of file capabilities up to number 6 of each byte survive.
 */
export function xattrsOf(header: Header): { readonly kept: Readonly<Record<string, string>> | undefined; readonly lost: readonly string[] } {
  const found = Object.entries(paxOf(header)).filter(([key]) => key.startsWith(XATTR)).map(([key, value]) => [key.slice(XATTR.length), value] as const)
    .filter(([name]) => name === 'security.capability' || (name.startsWith('user.') && !name.startsWith('user.overlay.')));
  const kept = found.filter(([, value]) => !value.includes('\ufffd'));
  return { kept: kept.length > 0 ? Object.fromEntries(kept) : undefined, lost: found.filter(([, value]) => value.includes('\ufffd')).map(([name]) => name) };
}
