#!/usr/bin/env node
// Compares docs/flags.md with the flags table (or writes it, with --write).
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';

const bundle = async (file) => {
  const result = await build({ entryPoints: [file], bundle: true, write: false, format: 'esm', platform: 'node', external: ['../run/*', './run-all.js', './roles.js', './status.js', './stop.js', './reset.js', './kubeconfig.js', './version.js', './node-list.js', './image.js', './store.js'] });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
};
const { FLAGS, ALIASES } = await bundle('src/cli/flags.ts');
const { COMMANDS } = await bundle('src/cli/commands/index.ts');

const lines = ['# Commands and flags', '', '<!-- Made from src/cli/flags.ts by `node scripts/flags-document.mjs --write`. -->', ''];
for (const command of COMMANDS) {
  lines.push(`## \`kube ${command.name}${command.operands ? ` ${command.operands}…` : ''}\``, '', `${command.summary}.`, '', '| flag | meaning | default |', '| --- | --- | --- |');
  for (const name of command.flags) {
    const flag = FLAGS[name];
    const value = flag.type === 'boolean' ? '' : ` ${flag.value ?? flag.choices?.join('\\|') ?? ''}`;
    const choices = flag.choices ? ` (${flag.choices.join(', ')})` : '';
    lines.push(`| \`${ALIASES[name] ? `-${ALIASES[name]}, ` : ''}--${name}${value}\` | ${flag.description.replaceAll('|', '\\|')}${choices} | ${flag.default === undefined ? '' : `\`${flag.default}\``} |`);
  }
  lines.push('');
}
const text = lines.join('\n');
if (process.argv.includes('--write')) await writeFile('docs/flags.md', text);
else if ((await readFile('docs/flags.md', 'utf8').catch(() => '')) !== text) {
  console.error('docs/flags.md does not fit src/cli/flags.ts: run node scripts/flags-document.mjs --write');
  process.exit(1);
}
