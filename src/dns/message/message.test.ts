import { decode, encode, type Answer } from 'dns-packet';
import fc from 'fast-check';
import { MalformedMessage } from './names.js';
import { pack } from './pack.js';
import { parseQuery } from './query.js';

const label = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
// Few labels, so that names share their ends.
const name = fc.array(fc.oneof(fc.constantFrom('svc', 'cluster', 'local', 'default', 'web'), label), { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
const ttl = fc.integer({ min: 0, max: 86_400 });
const record: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ type: fc.constant('A' as const), name, ttl, data: fc.ipV4() }),
  fc.record({ type: fc.constantFrom('CNAME' as const, 'PTR' as const, 'NS' as const), name, ttl, data: name }),
  fc.record({ type: fc.constant('SRV' as const), name, ttl, data: fc.record({ priority: fc.nat(9), weight: fc.nat(9), port: fc.nat(65_535), target: name }) }),
  fc.record({ type: fc.constant('MX' as const), name, ttl, data: fc.record({ preference: fc.nat(9), exchange: name }) }),
  fc.record({ type: fc.constant('SOA' as const), name, ttl, data: fc.record({ mname: name, rname: name, serial: fc.nat(), refresh: fc.nat(), retry: fc.nat(), expire: fc.nat(), minimum: fc.nat() }) }),
  fc.record({ type: fc.constant('TXT' as const), name, ttl, data: fc.string({ minLength: 1, maxLength: 40 }).map((text) => [Buffer.from(text).subarray(0, 255)]) }),
);
const message = fc
  .record({ id: fc.nat(65_535), question: name, answers: fc.array(record, { maxLength: 30 }), authorities: fc.array(record, { maxLength: 3 }), additionals: fc.array(record, { maxLength: 10 }) })
  .map(({ id, question, answers, authorities, additionals }) => encode({ type: 'response', id, questions: [{ type: 'A', name: question }], answers, authorities, additionals }));

test('a packed message says the same in fewer bytes, and packing it again changes nothing', () => {
  fc.assert(fc.property(message, (plain) => {
    const packed = pack(plain, 65_535);
    expect(packed.length).toBeLessThanOrEqual(plain.length);
    expect(decode(packed)).toEqual(decode(plain));
    expect(pack(packed, 65_535).equals(packed)).toBe(true);
  }), { numRuns: 300 });
});

test('a limit cuts records off the end and sets the truncation flag exactly then', () => {
  fc.assert(fc.property(message, fc.integer({ min: 100, max: 1500 }), (plain, limit) => {
    const packed = pack(plain, limit);
    const whole = decode(plain);
    const part = decode(packed);
    expect(packed.length).toBeLessThanOrEqual(Math.max(limit, 100));
    const all = [...(whole.answers ?? []), ...(whole.authorities ?? []), ...(whole.additionals ?? [])];
    const kept = [...(part.answers ?? []), ...(part.authorities ?? []), ...(part.additionals ?? [])];
    expect(kept).toEqual(all.slice(0, kept.length));
    expect(part.flag_tc).toBe(kept.length < all.length);
  }), { numRuns: 300 });
});

test('names of a service take few bytes', () => {
  const answers = Array.from({ length: 20 }, (_, i): Answer => ({ type: 'A', name: 'web.default.svc.cluster.local', ttl: 30, data: `10.0.0.${i}` }));
  const plain = encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'web.default.svc.cluster.local' }], answers });
  expect(plain.length).toBeGreaterThan(900);
  expect(pack(plain, 65_535).length).toBeLessThan(400);
});

test('bytes of any kind are no query, a refusal or a query, and a message or malformed; nothing else', () => {
  fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.tuple(message, fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 })).map(([bytes, changes]) => {
    const broken = Buffer.from(bytes);
    for (const [at, value] of changes) broken[at % broken.length] = value;
    return broken;
  })), (bytes) => {
    const buffer = Buffer.from(bytes);
    parseQuery(buffer);
    if (buffer.length >= 3) {
      buffer[2]! &= 0x7f;
      parseQuery(buffer);
    }
    try {
      pack(buffer, 512);
    } catch (error) {
      expect(error).toBeInstanceOf(MalformedMessage);
    }
  }), { numRuns: 2000 });
});

test.each([
  ['a header only', Buffer.from('000101000000000000000000', 'hex'), 1],
  ['two questions', encode({ type: 'query', id: 1, questions: [{ type: 'A', name: 'a' }, { type: 'A', name: 'b' }] }), 1],
  ['a question cut short', encode({ type: 'query', id: 1, questions: [{ type: 'A', name: 'abc' }] }).subarray(0, 16), 1],
  ['a pointer to itself', Buffer.from('000101000001000000000000c00c00010001', 'hex'), 1],
  ['an update', Buffer.from('000128000001000000000000016100000600 01'.replace(' ', ''), 'hex'), 4],
])('%s is refused', (_, bytes, rcode) => {
  const parsed = parseQuery(bytes);
  expect(parsed && 'reject' in parsed && (parsed.reject.readUInt16BE(2) & 0x800f)).toBe(0x8000 | rcode);
});

test('answers and pieces too short for a header get no answer', () => {
  expect(parseQuery(Buffer.alloc(11))).toBeUndefined();
  expect(parseQuery(encode({ type: 'response', id: 1, questions: [{ type: 'A', name: 'a' }] }))).toBeUndefined();
});

test('the case of a question is kept, a dot inside a label is not taken for two labels', () => {
  const parsed = parseQuery(encode({ type: 'query', id: 7, questions: [{ type: 'AAAA', name: 'WeB.Default' }] }));
  expect(parsed).toMatchObject({ query: { id: 7, name: 'web.default', spelled: 'WeB.Default', type: 28, class: 1 } });
  const dotted = parseQuery(Buffer.from('00010100000100000000000003612e620000010001', 'hex'));
  expect(dotted).toMatchObject({ query: { name: 'a\\.b' } });
});

test('another version of EDNS is refused with BADVERS', () => {
  const query = encode({ type: 'query', id: 3, questions: [{ type: 'A', name: 'a' }], additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 1, flags: 0, flag_do: false, options: [] }] });
  const parsed = parseQuery(query);
  const answer = parsed && 'reject' in parsed ? decode(parsed.reject) : undefined;
  expect(answer?.additionals?.[0]).toMatchObject({ type: 'OPT', extendedRcode: 1 });
});
