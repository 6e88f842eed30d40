// The test images, made of what Debian's packages install on this machine.
import { ensurePackages, run } from '../lib/debian.mjs';
import { makeImage } from './archive.mjs';
import { Tree } from './tree.mjs';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const GO = { amd64: ['amd64'], arm64: ['arm64', 'v8'], armhf: ['arm', 'v7'], i386: ['386'], ppc64el: ['ppc64le'], s390x: ['s390x'], riscv64: ['riscv64'] };

/** Names of the images that {@link testImage} makes. */
export const IMAGES = ['busybox', 'nginx', 'tools'];

/** Makes `kube.test/<which>:1`. All of them begin with the layer of busybox. */
export async function testImage(which) {
  const [architecture, variant] = GO[(await run('dpkg', ['--print-architecture'])).trim()] ?? [];
  if (!architecture) throw new Error('test images cannot be made for the architecture that dpkg --print-architecture says');
  const base = await busybox();
  const make = (layers, config) => makeImage({ name: `kube.test/${which}:1`, architecture, variant, layers, config: { Env: [PATH], ...config } });
  switch (which) {
    case 'busybox': return make([base], { Cmd: ['sh'] });
    case 'nginx': return make([base, await nginx()], { Entrypoint: ['nginx'], Cmd: ['-g', 'daemon off;'], ExposedPorts: { '80/tcp': {} }, StopSignal: 'SIGQUIT' });
    case 'tools': return make([base, await tools()], { Cmd: ['sh'] });
    default: throw new Error(`there is no test image ${which}; there are ${IMAGES.join(', ')}`);
  }
}

async function busybox() {
  await ensurePackages({ 'busybox-static': '/bin/busybox' });
  const tree = new Tree();
  await tree.copy('/bin/busybox', '/bin/busybox');
  for (const path of (await run('/bin/busybox', ['--list-full'])).split('\n').filter((line) => line !== '').sort()) {
    // An installed shell script may name them anywhere; the folders of merged /usr are one here too.
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (name !== 'busybox') tree.link(`bin/${name}`, 'busybox');
  }
  return tree
    .folder('dev').folder('proc').folder('sys').folder('run').folder('home').folder('mnt').folder('var/tmp', 0o1777).folder('tmp', 0o1777).folder('root', 0o700).folder('usr/bin').folder('usr/sbin').folder('sbin')
    .link('usr/bin/env', '../../bin/busybox')
    .file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/bin/false\nbin:x:2:2:bin:/bin:/bin/false\nwww-data:x:33:33:www-data:/var/www:/bin/false\nnobody:x:65534:65534:nobody:/home:/bin/false\n')
    .file('etc/group', 'root:x:0:\ndaemon:x:1:\nbin:x:2:\nwww-data:x:33:\nnogroup:x:65534:\n')
    .file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n')
    .tar();
}

async function nginx() {
  await ensurePackages({ 'nginx-light': '/usr/sbin/nginx' });
  const tree = new Tree();
  await tree.program('/usr/sbin/nginx');
  await tree.copy('/etc/nginx/mime.types');
  return tree
    .file('etc/nginx/nginx.conf', `user www-data;
worker_processes 1;
pid /run/nginx.pid;
error_log /dev/stderr notice;
events { worker_connections 512; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log /dev/stdout;
  sendfile on;
  keepalive_timeout 65;
  include /etc/nginx/conf.d/*.conf;
}
`)
    .file('etc/nginx/conf.d/default.conf', `server {
  listen 80;
  server_name localhost;
  location / {
    root /usr/share/nginx/html;
    index index.html;
  }
}
`)
    .file('usr/share/nginx/html/index.html', '<!DOCTYPE html>\n<html><head><title>Welcome to nginx!</title></head><body><h1>Welcome to nginx!</h1></body></html>\n')
    .folder('var/lib/nginx').folder('var/log/nginx').folder('run')
    .tar();
}

async function tools() {
  await ensurePackages({ curl: '/usr/bin/curl', 'bind9-dnsutils': '/usr/bin/dig', socat: '/usr/bin/socat' });
  const tree = new Tree();
  for (const program of ['/usr/bin/curl', '/usr/bin/dig', '/usr/bin/socat']) await tree.program(program);
  return tree.tar();
}
