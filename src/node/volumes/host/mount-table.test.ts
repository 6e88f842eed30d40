import { MountTable, parseMountPoints } from './mount-table.js';

const TABLE = [
  '22 27 0:21 / /proc rw,relatime - proc proc rw',
  '30 27 0:30 / /state/pods/a/volumes/x rw - tmpfs tmpfs rw',
  '31 27 0:30 / /state/pods/ab/volumes/x rw - tmpfs tmpfs rw',
  '32 27 8:1 /data /state/pods/a/with\\040blank rw shared:1 - ext4 /dev/vda rw',
  '33 27 0:31 / /state/pods/a/volumes/x rw - tmpfs tmpfs rw',
  '',
].join('\n');

test('lists what is mounted at and below a folder, twice where two mounts lie on each other', () => {
  expect(parseMountPoints(TABLE, '/state/pods/a')).toEqual(['/state/pods/a/volumes/x', '/state/pods/a/with blank', '/state/pods/a/volumes/x']);
  expect(parseMountPoints(TABLE, '/state/pods/a/volumes/x')).toHaveLength(2);
  expect(parseMountPoints(TABLE, '/state/pods/c')).toEqual([]);
});

test('those who wait share a reading that began after they asked', async () => {
  let reads = 0;
  const answers: ((text: string) => void)[] = [];
  const table = new MountTable(() => {
    reads++;
    return new Promise((resolve) => answers.push(resolve));
  });
  const first = table.below('/proc');
  const second = table.below('/proc');
  const third = table.below('/proc');
  expect(reads).toBe(1);
  answers[0]!('');
  expect(await first).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBe(2);
  answers[1]!(TABLE);
  expect(await second).toEqual(['/proc']);
  expect(await third).toEqual(['/proc']);
  expect(reads).toBe(2);
});
