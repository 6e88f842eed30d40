// The program of the spawn broker (src/base/process/broker) as one script, which the bundle carries as text.
import { build } from 'esbuild';

/** The script. It takes the address of the module that loads native addons as its first argument. */
export async function brokerSource() {
  const { outputFiles } = await build({
    entryPoints: [new URL('../src/base/process/broker/main.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    define: { 'import.meta.url': '__kubeModuleUrl' },
    banner: { js: 'const __kubeModuleUrl = process.argv[2];' },
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}
