// Round trips of the reference's objects through our codecs: protobuf byte for byte, JSON and YAML value for value.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from './sources.mjs';

const STABLE = /^v\d+$/;
const CODECS = `
  export { Codec } from './src/api/codec/codec.js';
  export { decodeJsonObject } from './src/api/codec/decode-json.js';
  export { decodeYaml } from './src/api/codec/decode-yaml.js';
  export { protobufEnvelope } from './src/api/codec/encode-protobuf.js';
`;

/** Adds what differs to `differences`; returns how many kinds were compared, and the names of those that have no type here. */
export async function compareWire(differences, folder) {
  const { Codec, decodeJsonObject, decodeYaml, protobufEnvelope } = await load(CODECS);
  const codec = new Codec();
  const unknown = [];
  let compared = 0;
  for (const file of (await readdir(join(folder, 'wire'))).filter((name) => name.endsWith('.pb')).sort()) {
    const name = file.slice(0, -'.pb'.length);
    const read = (extension) => readFile(join(folder, 'wire', `${name}.${extension}`));
    const [protobuf, json, yaml] = [await read('pb'), await read('json'), await read('yaml')];
    const value = JSON.parse(json.toString());
    const kind = kindOf(value);
    const type = codec.schemas.kind(kind);
    if (type === undefined) {
      // Versions that are not stable are not served.
      if (STABLE.test(kind.version)) unknown.push(name);
      continue;
    }
    compared++;
    const trip = (from, decode) => {
      try {
        const { object, strictErrors } = codec.check(decode(), type, { strict: true });
        for (const error of strictErrors) differences.add(`wire ${name} from ${from}: ${error}`);
        const kept = codec.forStorage(object, type);
        differences.compare(`wire ${name} from ${from}`, kept, value);
        const bytes = protobufEnvelope(kind, codec.protobufMessage(kept, type));
        if (!bytes.equals(protobuf)) differences.add(`wire ${name} from ${from}: protobuf differs at byte ${firstDifference(bytes, protobuf)} of ${protobuf.length}`);
      } catch (error) {
        differences.add(`wire ${name} from ${from}: ${error.message}`);
      }
    };
    trip('protobuf', () => codec.decodeProtobuf(protobuf, kind));
    trip('JSON', () => decodeJsonObject(json));
    trip('YAML', () => decodeYaml(yaml));
  }
  return { compared, unknown };
}

function kindOf({ apiVersion = '', kind = '' }) {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
}

function firstDifference(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
