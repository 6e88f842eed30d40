// Loads the project's own fact tables, and what makes paths of them, (TypeScript) into the generator.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const ENTRY = `
  export { PACKAGES } from './src/api/facts/types/index.js';
  export * from './src/api/facts/special-types.js';
  export { FIELD_NUMBERS } from './src/api/facts/field-numbers/index.js';
  export { RESOURCES } from './src/api/facts/resources.js';
  export { resourcePaths } from './src/server/openapi/paths/resource-paths.js';
  export { groupVersionPath, serverPaths } from './src/server/openapi/paths/server-paths.js';
  export { renderPathsV2, renderPathsV3 } from './src/server/openapi/paths/render.js';
`;

/** The exports of the fact tables. */
export async function loadFacts() {
  const result = await build({
    stdin: { contents: ENTRY, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`);
}
