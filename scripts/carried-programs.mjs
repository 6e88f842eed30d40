// Programs that the bundle carries as text, each as one script: no file of theirs has to be found at run time.
import { build } from 'esbuild';

/** The spawn broker (src/base/process/broker). It takes the address of the module that loads native addons as its first argument. */
export function brokerSource() {
  return script(new URL('../src/base/process/broker/main.ts', import.meta.url), { define: { 'import.meta.url': '__kubeModuleUrl' }, banner: { js: 'const __kubeModuleUrl = process.argv[2];' } });
}

/** The thread that reads and writes YAML (src/server/yaml/thread), for a worker. */
export function yamlThreadSource() {
  return script(new URL('../src/server/yaml/thread/main.ts', import.meta.url));
}

async function script(entry, more = {}) {
  const { outputFiles } = await build({ entryPoints: [entry.pathname], bundle: true, write: false, format: 'cjs', platform: 'node', target: 'node20', minify: true, logLevel: 'warning', ...more });
  return outputFiles[0].text;
}
