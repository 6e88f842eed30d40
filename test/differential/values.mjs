// Values that are put into fields of the differential corpus: each breaks some rule, or is at the edge of one.

/** Texts at the edges of the rules for names, labels, paths, addresses, URLs and the like. */
export const TEXTS = [
  '', 'a', 'A', '1', 'a_b', 'a.b.c', 'a.b/c', '/a', '/a/../b', '../a', '-a', '*', '*.a.b', 'a b', 'ü', 'a:b', '$(A)',
  '1.2.3.4', '01.2.3.4', '127.0.0.1', '::1', '10.0.0.1/8', 'fd00::/64', '-1', '50%', '1h', 'true', 'https://a.b/c', 'kubernetes.io/x', 'cpu',
  'a'.repeat(16), 'a'.repeat(64), 'a'.repeat(129), `${'a'.repeat(60)}.`.repeat(5), 'a'.repeat(1025),
];

/** The texts that are tried in updates too, and in objects that are variants of another. */
export const FEW_TEXTS = ['', 'a', 'A', 'a.b/c', 'a b'];

/** Numbers at the edges of the rules for ports, percents, weights, seconds and sizes. */
export const BOUNDARIES = [-1, 0, 1, 2, 100, 101, 512, 65536, 86401, 1000001, 2147483647, 2147483648, 4294967296, 1.5];

/** The numbers that are tried in updates too, and in objects that are variants of another. */
export const FEW_NUMBERS = [-1, 0, 2];

/** Quantities, and what is none. */
export const QUANTITIES = ['0', '-1', '1', '1m', '1500m', '1u', '1.5Gi', '1e3', '100Ei', '1ki', '', 'x', '.5', '2Gi'];

/** Keys that maps refuse, or not. */
export const badEntryKeys = ['', 'A', 'a b', 'a.b/c', 'a/b/c', '..a', 'a'.repeat(64), 'a'.repeat(254), 'kubernetes.io/x', 'cpu', 'storage', 'pods', 'requests.cpu', 'hugepages-1Gi', 'count/pods', 'A_/b'];
