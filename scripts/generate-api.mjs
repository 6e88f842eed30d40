#!/usr/bin/env node
// Makes src/api/generated/ from the pinned @kubernetes/client-node (release 1.36) and our own facts.
// Nothing it writes is committed. Run by `npm run generate`; the build and the tests run it first.
import { readDefinitions } from './generate/definitions.mjs';
import { openApiModules } from './generate/openapi.mjs';
import { protobufTable } from './generate/protobuf-table.mjs';
import { schemaTable } from './generate/schema-table.mjs';
import { generateTypes } from './generate/types.mjs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('../src/api/generated/', import.meta.url));
await mkdir(target, { recursive: true });
const known = await readDefinitions();
await writeFile(`${target}types.ts`, await generateTypes());
await writeFile(`${target}schema.ts`, schemaTable(known.definitions));
await writeFile(`${target}protobuf.ts`, protobufTable(known));
for (const [file, text] of openApiModules(known)) await writeFile(target + file, text);
