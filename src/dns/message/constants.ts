/** Numbers of record types (IANA). */
export const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, OPT: 41, ANY: 255 } as const;

/** The Internet class. */
export const CLASS_IN = 1;

/** Response codes (RFC 1035, RFC 6891); 16 needs an OPT record for its upper bits. */
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 } as const;

/** Bits of the header's second word. */
export const FLAG = { QR: 0x8000, AA: 0x0400, TC: 0x0200, RD: 0x0100, RA: 0x0080, AD: 0x0020, CD: 0x0010 } as const;

/** Length of a message's header. */
export const HEADER_LENGTH = 12;

/** Least that every client takes over UDP (RFC 1035). */
export const MINIMUM_UDP_SIZE = 512;

/** Largest message (the length prefix of TCP has 16 bits). */
export const MAXIMUM_SIZE = 65_535;

const NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, number]) => [number, name]));

/** Name of a record type for metrics; `other` for those that are rare. */
export function typeName(type: number): string {
  return NAMES.get(type) ?? 'other';
}

const RCODE_NAMES = new Map<number, string>(Object.entries(RCODE).map(([name, number]) => [number, name]));

/** Name of a response code for metrics. */
export function rcodeName(rcode: number): string {
  return RCODE_NAMES.get(rcode) ?? String(rcode);
}
