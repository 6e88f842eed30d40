// Debian packages that scripts need: looked for by a file that they bring, installed when missing.
import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';

/** Runs a program to its end; resolves with its stdout, rejects with what it said otherwise. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const out = [];
    const err = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`${program} ${args.join(' ')} ended with code ${code}: ${Buffer.concat(err).toString().trim().slice(0, 2000)}`));
    });
  });
}

/** One installation at a time; others' on this machine are waited for (seconds). */
const LOCK_SECONDS = 600;
let last = Promise.resolve();

/** Installs Debian packages whose file is missing: `{ 'socat': '/usr/bin/socat' }`. Rejects where that cannot be done. */
export function ensurePackages(files) {
  const done = last.then(() => installMissing(files));
  last = done.catch(() => undefined);
  return done;
}

async function installMissing(files) {
  const missing = [];
  for (const [name, file] of Object.entries(files)) if (!(await access(file).then(() => true, () => false))) missing.push(name);
  if (missing.length === 0) return;
  const list = missing.join(' ');
  if (process.getuid?.() !== 0 || !(await access('/usr/bin/apt-get').then(() => true, () => false))) throw new Error(`install the packages ${list}: they are missing, and installing them takes Debian's apt-get and root`);
  console.error(`installing ${list} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = () => run('apt-get', ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, 'install', '-y', '-qq', '--no-install-recommends', ...missing], { env });
  await install().catch(async () => {
    await run('apt-get', ['update', '-qq'], { env });
    await install();
  });
}
