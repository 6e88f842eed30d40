// The program of the thread that reads and writes YAML (src/server/yaml/thread) as one script, which the bundle carries as text.
import { build } from 'esbuild';

/** The script, for a worker thread. */
export async function yamlThreadSource() {
  const { outputFiles } = await build({
    entryPoints: [new URL('../src/server/yaml/thread/main.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
