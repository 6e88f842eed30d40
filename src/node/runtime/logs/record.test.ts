import { formatRecordTime, parseRecord } from './record.js';

const parse = (text: string): unknown => {
  const record = parseRecord(Buffer.from(text));
  return record && [record.time, record.stream, record.content.toString()];
};

test('lines of the format, whole and partial', () => {
  expect(parse('2026-01-02T03:04:05.000000006Z stdout F hello world\n')).toEqual(['2026-01-02T03:04:05.000000006Z', 'stdout', 'hello world\n']);
  expect(parse('2026-01-02T03:04:05+02:00 stderr P half\n')).toEqual(['2026-01-02T03:04:05+02:00', 'stderr', 'half']);
  expect(parse('2026-01-02T03:04:05Z stdout F:more:tags  x\n')).toEqual(['2026-01-02T03:04:05Z', 'stdout', ' x\n']);
  expect(parse('2026-01-02T03:04:05Z stdout P:tag x\n')).toEqual(['2026-01-02T03:04:05Z', 'stdout', 'x']);
  expect(parse('2026-01-02T03:04:05Z stdout F \n')).toEqual(['2026-01-02T03:04:05Z', 'stdout', '\n']);
  expect(parse('2026-01-02T03:04:05Z stdout F cut')).toEqual(['2026-01-02T03:04:05Z', 'stdout', 'cut']);
});

test('anything else is no record', () => {
  for (const text of ['', '\n', 'hello', 'x stdout F y\n', '2026-01-02T03:04:05Z stdin F y\n', '2026-01-02T03:04:05Z stdout\n', '2026-01-02T03:04:05Z stdout F', '2026-01-02 stdout F x\n']) expect(parse(text)).toBeUndefined();
});

test('times are shown with nine digits', () => {
  expect(formatRecordTime('2026-01-02T03:04:05.123456789+00:00')).toBe('2026-01-02T03:04:05.123456789Z');
  expect(formatRecordTime('2026-01-02T03:04:05.12Z')).toBe('2026-01-02T03:04:05.120000000Z');
  expect(formatRecordTime('2026-01-02T03:04:05-07:00')).toBe('2026-01-02T03:04:05.000000000-07:00');
});
