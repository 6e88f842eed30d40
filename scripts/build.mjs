#!/usr/bin/env node
// Bundles src/ into dist/: one entry for the command line, one for the library with its types, code split per subcommand.
import { build } from 'esbuild';
import { rename, rm } from 'node:fs/promises';
import { brokerSource, yamlThreadSource } from './carried-programs.mjs';
import { writeDeclarations } from './declarations.mjs';

// What is there stays until the new one is whole: a build that fails breaks nothing.
const fresh = `dist.${process.pid}.tmp`;
const bundled = build({
  entryPoints: { kube: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  // A third less to read and parse at every start; names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // Native addons stay outside the bundle, and a part of gRPC that nothing here asks for.
  external: ['classic-level', '@lydell/node-pty', '@grpc/proto-loader'],
  // The programs of the spawn broker and of the thread for YAML are carried as text: no file has to be found.
  define: { KUBE_BROKER_SOURCE: JSON.stringify(await brokerSource()), KUBE_YAML_SOURCE: JSON.stringify(await yamlThreadSource()) },
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  logLevel: 'warning',
});
const results = await Promise.allSettled([bundled, writeDeclarations(`${fresh}/types`)]);
const failed = results.find((result) => result.status === 'rejected');
if (failed) {
  await rm(fresh, { recursive: true, force: true });
  console.error(failed.reason.message);
  process.exitCode = 1;
} else {
  await rm('dist', { recursive: true, force: true });
  await rename(fresh, 'dist');
}
