import { dump, YAML11_SCHEMA } from 'js-yaml';

/** An object as YAML, in upstream's style. A megabyte takes about a second. */
export function encodeYaml(object: unknown): Buffer {
  return Buffer.from(dump(object, { schema: YAML11_SCHEMA, sortKeys: true, lineWidth: -1, noRefs: true, seqNoIndent: true, quoteStyle: 'double' }));
}
