#!/usr/bin/env node
// All static checks: types, lint with the import table, unused code, generated documents, file lengths.
// Each check that can be mended by a command says which.
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const checks = [
  ['types', 'npx', ['tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['lint', 'npx', ['eslint', '--max-warnings', '0', 'src', 'test']],
  ['unused code', 'npx', ['knip', '--no-progress']],
  ['flags document (mend: node scripts/flags-document.mjs --write)', 'node', ['scripts/flags-document.mjs']],
];

let failures = 0;
/** Each uses one core most of the time. What they say comes in one piece. */
const check = ([name, command, args]) =>
  new Promise((resolve) => {
    execFile(command, args, { maxBuffer: Infinity }, (error, stdout, stderr) => {
      process.stdout.write(stdout);
      process.stderr.write(stderr);
      if (error) {
        failures++;
        console.error(`verify: ${name} failed`);
      }
      resolve();
    });
  });
await Promise.all(checks.map(check));

const files = spawnSync('git', ['ls-files', '-z', '*.ts', '*.mjs'], { encoding: 'utf8' }).stdout.split('\0').filter(Boolean);
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n').length - 1;
  if (lines > 600) {
    failures++;
    console.error(`verify: ${file} has ${lines} lines, the limit is 600`);
  }
}
process.exit(failures === 0 ? 0 : 1);
