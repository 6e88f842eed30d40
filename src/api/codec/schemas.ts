import type { GroupVersionKind } from '../meta/object.js';
import { SCHEMA_PACKAGES, SCHEMA_TEXT } from '../generated/schema.js';
import type { StructSchema } from './schema.js';
import { parseDefinition } from './schema-text.js';

const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Kinds of the meta package that every group version has. */
const EVERYWHERE: ReadonlySet<string> = new Set(['DeleteOptions', 'WatchEvent', 'Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList']);

/** The types of every built-in kind. Made once per server; cheap to make, types are read when they are asked for. */
export class Schemas {
  private readonly lines = new Map<string, string>();
  private readonly structs = new Map<string, StructSchema>();
  /** `apps/v1 Deployment` -> definition name. */
  private readonly kinds = new Map<string, string>();
  /** `apps/v1`; custom kinds in other groups may have the names of those that are everywhere. */
  private readonly groupVersions = new Set<string>(['/', 'meta.k8s.io/v1', 'meta.k8s.io/v1beta1']);

  constructor() {
    for (const line of SCHEMA_TEXT.split('\n')) {
      const [head] = line.split('|', 1);
      const [short, ...groupVersions] = head!.split(' ');
      const name = fullName(short!.replace('@', ''));
      this.lines.set(name, line);
      const kind = name.slice(name.lastIndexOf('.') + 1);
      for (const groupVersion of groupVersions) {
        this.kinds.set(`${groupVersion} ${kind}`, name);
        this.groupVersions.add(groupVersion);
      }
    }
  }

  /** The type of a kind; undefined when it is not built in. */
  kind({ group, version, kind }: GroupVersionKind): StructSchema | undefined {
    const name = this.kinds.get(`${group}/${version} ${kind}`);
    if (name !== undefined) return this.definition(name);
    return EVERYWHERE.has(kind) && this.groupVersions.has(`${group}/${version}`) ? this.definition(`${META_PACKAGE}.${kind}`) : undefined;
  }

  /** `metadata` of every object, for kinds that are not built in. */
  get objectMeta(): StructSchema {
    return this.definition(`${META_PACKAGE}.ObjectMeta`)!;
  }

  /** A type by its definition name; undefined when it is unknown. */
  definition(name: string): StructSchema | undefined {
    let struct = this.structs.get(name);
    if (struct === undefined) {
      const line = this.lines.get(name);
      if (line === undefined) return undefined;
      struct = parseDefinition(name, line, (short) => this.definition(fullName(short))!);
      this.structs.set(name, struct);
    }
    return struct;
  }
}

function fullName(short: string): string {
  const dot = short.indexOf('.');
  return `${SCHEMA_PACKAGES[Number(short.slice(0, dot))]}${short.slice(dot)}`;
}
