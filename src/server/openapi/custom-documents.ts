import { createHash } from 'node:crypto';
import type { V1CustomResourceDefinition, V1CustomResourceDefinitionVersion } from '../../api/generated/types.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { customFacts } from '../crd/custom-facts.js';
import { customSchemas, definitionName } from './custom-schemas.js';
import { entriesText, joinedBytes } from './document-entries.js';
import type { Operation, PathOperations } from './paths/operation.js';
import { renderPathsV2, renderPathsV3 } from './paths/render.js';
import { resourcePaths } from './paths/resource-paths.js';
import { groupVersionPath } from './paths/server-paths.js';
import { nextTurn } from '../../base/steps.js';

type Json = Record<string, unknown>;

/** Paths and schemas that join a document. */
export interface DocumentParts {
  readonly paths: Json;
  readonly schemas: Json;
}

interface Part {
  readonly definition: V1CustomResourceDefinition;
  readonly version: V1CustomResourceDefinitionVersion;
}

const NO_PROTOBUF = (type: string): boolean => !type.includes('protobuf') && !type.includes('strategic');

/** What the OpenAPI documents say of custom resources; made when it is asked for. */
export class CustomDocuments {
  /** By `apis/<group>/<version>`, then by the definition's name. */
  private readonly groupVersions = new Map<string, Map<string, Part>>();

  /** Takes in a definition that is served; undefined takes it out. Returns the documents that this changes. */
  set(name: string, definition: V1CustomResourceDefinition | undefined): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const [key, parts] of this.groupVersions) {
      if (!parts.delete(name)) continue;
      changed.add(key);
      if (parts.size === 0) this.groupVersions.delete(key);
    }
    for (const version of definition?.spec.versions ?? []) {
      if (!version.served) continue;
      const key = `apis/${definition!.spec.group}/${version.name}`;
      const parts = this.groupVersions.get(key);
      if (parts) parts.set(name, { definition: definition!, version });
      else this.groupVersions.set(key, new Map([[name, { definition: definition!, version }]]));
      changed.add(key);
    }
    return changed;
  }

  get isEmpty(): boolean {
    return this.groupVersions.size === 0;
  }

  has(key: string): boolean {
    return this.groupVersions.has(key);
  }

  /** Different whenever the document of a group version may be. */
  hash(key: string): string {
    const parts = this.groupVersions.get(key) ?? [];
    const hash = createHash('sha512');
    for (const [name, { definition }] of [...parts].sort(byName)) hash.update(JSON.stringify([name, definition.metadata?.uid, definition.metadata?.generation, definition.status?.acceptedNames]));
    return hash.digest('hex').toUpperCase();
  }

  /** The document of a group version, in pieces. `shared`: the schemas that all documents have, as {@link entriesText}. */
  async version3(key: string, shared: readonly string[]): Promise<Buffer[]> {
    const parts = [...this.groupVersions.get(key)!].sort(byName).map(([, part]) => part);
    const { group } = parts[0]!.definition.spec;
    const paths = await entriesText(renderPathsV3([groupVersionPath(group, parts[0]!.version.name)]));
    const schemas = [...shared];
    for (const part of parts) {
      paths.push(...(await entriesText(renderPathsV3(pathsOf(part)))));
      await nextTurn();
      schemas.push(...(await entriesText(schemasOf(part, 3))));
      await nextTurn();
    }
    const head = `{"openapi":"3.0.0","info":${JSON.stringify({ title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })},"paths":{`;
    return [Buffer.from(head), ...(await joinedBytes(paths, ',')), Buffer.from('},"components":{"schemas":{'), ...(await joinedBytes(schemas, ',')), Buffer.from('}}}\n')];
  }

  /** What joins the document of version 2, definition by definition. */
  *version2(): Generator<DocumentParts> {
    for (const [, parts] of [...this.groupVersions].sort(byName)) {
      for (const [, part] of [...parts].sort(byName)) yield { paths: renderPathsV2(pathsOf(part)), schemas: schemasOf(part, 2) };
    }
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function factsOf({ definition, version }: Part): ResourceFacts {
  return customFacts(definition, version);
}

function schemasOf(part: Part, version: 2 | 3): Json {
  const facts = factsOf(part);
  return customSchemas(facts, part.definition.status?.acceptedNames?.listKind || `${facts.kind}List`, part.version.schema?.openAPIV3Schema, version);
}

function pathsOf(part: Part): PathOperations[] {
  const facts = factsOf(part);
  const watch = `/apis/${facts.group}/${facts.version}/watch/`;
  const paths = resourcePaths(facts, (group, version, kind) => (group === 'autoscaling' ? `io.k8s.api.autoscaling.${version}.${kind}` : definitionName(group, version, kind)));
  return paths.filter(({ path }) => !path.startsWith(watch)).map((path) => ({ ...path, operations: path.operations.map(withoutProtobuf) }));
}

/** Custom kinds have no protobuf form, and no strategic merge patches. */
function withoutProtobuf(operation: Operation): Operation {
  const { body } = operation;
  return {
    ...operation,
    produces: operation.produces.filter(NO_PROTOBUF),
    consumes: operation.consumes.filter(NO_PROTOBUF),
    ...(body ? { body: { ...body, types: body.types.filter(NO_PROTOBUF) } } : {}),
  };
}
