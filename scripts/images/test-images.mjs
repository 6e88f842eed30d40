// The test images as files, made once.
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDockerArchive, writeOciArchive } from './archive.mjs';
import { IMAGES, testImage } from './images.mjs';

const CACHE = fileURLToPath(new URL('../../.cache/images/', import.meta.url));

/** Writes images to a folder; resolves with `{busybox: {name, docker, oci}, …}`. */
export async function makeTestImages(folder, which = IMAGES) {
  await mkdir(folder, { recursive: true });
  const made = {};
  for (const name of which) {
    const image = await testImage(name);
    made[name] = paths(folder, name);
    await writeDockerArchive(made[name].docker, [image]);
    await writeOciArchive(made[name].oci, [image]);
  }
  return made;
}

/** The paths of one image's archives, which are made when they are missing. */
export async function testImageFiles(which) {
  const files = paths(CACHE, which);
  const present = await Promise.all([files.docker, files.oci].map((file) => access(file).then(() => true, () => false)));
  return present.every(Boolean) ? files : (await makeTestImages(CACHE, [which]))[which];
}

function paths(folder, which) {
  return { name: `kube.test/${which}:1`, docker: join(folder, `${which}.docker.tar`), oci: join(folder, `${which}.oci.tar`) };
}
