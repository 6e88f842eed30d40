import { rootCertificates } from 'node:tls';
import { testImageFiles, type TestImageFiles } from '../../../../scripts/images/test-images.mjs';
import { REGISTRY_USER, startRegistry, type TestRegistry } from '../../../../scripts/lib/registry.mjs';
import { ImageWorld } from '../testing/world.js';

// Debian's docker-registry, with each of its ways to know a user. Making a certificate may take seconds.
const LONG = 60_000;

let world: ImageWorld;
let registry: TestRegistry;
let busybox: TestImageFiles;
beforeAll(async () => {
  busybox = await testImageFiles('busybox');
}, LONG);
beforeEach(async () => {
  world = await ImageWorld.make();
});
afterEach(async () => {
  await world.close();
  await registry.stop();
});

test('anonymous: OCI and Docker manifests, by tag and digest', async () => {
  registry = await startRegistry();
  const [oci] = await registry.push(busybox.oci);
  const [docker] = await registry.push(busybox.docker, 'kube.test/docker:2');
  const store = await world.open({ architecture: process.arch });
  const [repository] = oci!.reference.split(/:\d+$/);
  expect(await store.pullImage(oci!.reference)).toBe(`${repository}@${oci!.digest}`);
  expect(await store.pullImage(`${repository}@${oci!.digest}`)).toBe(`${repository}@${oci!.digest}`);
  await store.pullImage(docker!.reference);
  const [image, ...more] = await store.listImages();
  expect(more).toEqual([]);
  expect(image!.names).toHaveLength(4);
  expect(await world.inMount((await store.unpacked(docker!.reference))!.layers, 'chroot . /bin/busybox echo it runs')).toBe('it runs');
}, LONG);

test('basic, over TLS with its own authority', async () => {
  registry = await startRegistry({ auth: 'basic', tls: true });
  const [{ reference } = { reference: '' }] = await registry.push(busybox.oci);
  const trusting = await world.open({ registries: { [registry.host]: { ca: registry.ca! } }, architecture: process.arch, retry: { attempts: 1 } });
  await expect(trusting.pullImage(reference)).rejects.toThrow('pull access denied');
  await expect(trusting.pullImage(reference, { auth: { ...REGISTRY_USER, password: 'wrong' } })).rejects.toThrow('pull access denied');
  await trusting.pullImage(reference, { auth: REGISTRY_USER });
  const auth = Buffer.from(`${REGISTRY_USER.username}:${REGISTRY_USER.password}`).toString('base64');
  const strict = await world.open({ registries: { [registry.host]: { ca: rootCertificates[0]! } }, folder: `${world.folder}/strict`, architecture: process.arch, retry: { attempts: 1 } });
  await expect(strict.pullImage(reference, { auth: REGISTRY_USER })).rejects.toThrow(/failed to do request: GET "https:.*self.signed certificate/);
  const lax = await world.open({ registries: { '*': { insecure: true } }, auths: { [`https://${registry.host}/v1/`]: { auth } }, folder: `${world.folder}/lax`, architecture: process.arch });
  await lax.pullImage(reference);
}, LONG);

test('tokens: anonymous for what is public, by password, and by an identity token', async () => {
  registry = await startRegistry({ auth: 'token' });
  const [open] = await registry.push(busybox.oci, 'public/busybox:1');
  const [closed] = await registry.push(busybox.oci, 'private/busybox:1');
  const store = await world.open({ architecture: process.arch, retry: { attempts: 1 } });
  await store.pullImage(open!.reference);
  await expect(store.pullImage(closed!.reference)).rejects.toThrow('pull access denied');
  await expect(store.pullImage(closed!.reference, { auth: { username: 'kube', password: 'wrong' } })).rejects.toThrow('failed to authorize: failed to fetch oauth token');
  await store.pullImage(closed!.reference, { auth: REGISTRY_USER });
  const other = await world.open({ architecture: process.arch, folder: `${world.folder}/other`, registries: { [registry.host]: { auth: { identityToken: registry.identityToken! } } } });
  await other.pullImage(closed!.reference);
}, LONG);
