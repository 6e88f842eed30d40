import fc from 'fast-check';
import { parseReference } from './reference.js';

const SHA = `sha256:${'a'.repeat(64)}`;

test.each([
  ['busybox', 'docker.io/library/busybox:latest'],
  ['busybox:1.36', 'docker.io/library/busybox:1.36'],
  ['grafana/loki', 'docker.io/grafana/loki:latest'],
  ['docker.io/busybox', 'docker.io/library/busybox:latest'],
  ['index.docker.io/busybox:1', 'docker.io/library/busybox:1'],
  ['index.docker.io/library/busybox:1', 'docker.io/library/busybox:1'],
  ['localhost/a', 'localhost/a:latest'],
  ['localhost:5000/a/b:t', 'localhost:5000/a/b:t'],
  ['quay.io/a/b/c__d.e-f:V1.2_x', 'quay.io/a/b/c__d.e-f:V1.2_x'],
  ['Host/a', 'Host/a:latest'],
  ['[::1]:5000/a', '[::1]:5000/a:latest'],
  [`busybox@${SHA}`, `docker.io/library/busybox@${SHA}`],
  [`busybox:1.36@${SHA}`, `docker.io/library/busybox@${SHA}`],
  ['a:5000', 'docker.io/library/a:5000'],
  ['a:5000/b', 'a:5000/b:latest'],
])('%s is %s', (text, name) => {
  expect(parseReference(text).name).toBe(name);
  expect(parseReference(name).name).toBe(name);
});

test.each([
  ['', 'invalid reference format'],
  ['Busybox', 'invalid reference format: repository name (library/Busybox) must be lowercase'],
  ['a//b', 'invalid reference format'],
  ['a:', 'invalid reference format'],
  [':1', 'invalid reference format'],
  ['a@sha256:abc', 'invalid reference format'],
  [`a@sha256:${'a'.repeat(63)}`, 'invalid checksum digest length'],
  [`a@md5:${'a'.repeat(32)}`, 'unsupported digest algorithm'],
  ['a b', 'invalid reference format'],
  ['-host.io/a', 'invalid reference format'],
  ['a/../b', 'invalid reference format'],
  [`a:${'t'.repeat(129)}`, 'invalid reference format'],
  ['x'.repeat(300), 'repository name must not be more than 255 characters'],
  ['a'.repeat(64), `invalid repository name (${'a'.repeat(64)}), cannot specify 64-byte hexadecimal strings`],
])('"%s" is refused: %s', (text, why) => {
  expect(() => parseReference(text)).toThrow(`couldn't parse image name "${text}": ${why}`);
});

test('whatever is parsed is in its normal form, and anything else is refused quickly', () => {
  fc.assert(fc.property(fc.stringMatching(/^[aA0:/@._-]{0,40}$/), (text) => {
    let name;
    try {
      ({ name } = parseReference(text));
    } catch (error) {
      expect(error).toMatchObject({ code: 'KUBE_IMAGE_NAME' });
      return;
    }
    expect(parseReference(name).name).toBe(name);
  }), { numRuns: 2000 });
});
