#!/usr/bin/env node
// Makes the images that tests run, from Debian packages of this machine:
//   node scripts/images/make.mjs [--out FOLDER] [busybox] [nginx] [tools]
// writes <name>.docker.tar and <name>.oci.tar (default folder: .cache/images) and prints their paths as JSON.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { IMAGES } from './images.mjs';
import { makeTestImages } from './test-images.mjs';

const { values, positionals } = parseArgs({ options: { out: { type: 'string', default: fileURLToPath(new URL('../../.cache/images/', import.meta.url)) } }, allowPositionals: true });
try {
  console.log(JSON.stringify(await makeTestImages(values.out, positionals.length > 0 ? positionals : IMAGES), undefined, 2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
