import { createHash } from 'node:crypto';
import type { V1CustomResourceDefinition, V1CustomResourceDefinitionVersion } from '../../api/generated/types.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import { customFacts } from '../crd/custom-facts.js';
import { customSchemas, definitionName } from './custom-schemas.js';
import type { DocumentForm } from './document-form.js';
import { gzipPiece, type GzipPiece } from './gzip-pieces.js';
import { PATCH_TYPES, type Operation, type PathOperations } from './paths/operation.js';
import { LIST_PARAMETERS } from './paths/parameters.js';
import { renderPathsV2, renderPathsV3 } from './paths/render.js';
import { resourcePaths } from './paths/resource-paths.js';
import { nextTurn } from '../../base/steps.js';

type Json = Record<string, unknown>;

/** Paths and schemas that join a document. */
export interface Fragment {
  readonly paths: GzipPiece;
  readonly schemas: GzipPiece;
}

interface Part {
  readonly definition: V1CustomResourceDefinition;
  readonly version: V1CustomResourceDefinitionVersion;
  readonly fragments: Map<DocumentForm, Promise<Fragment>>;
}

/** There is no protobuf form, and of watches nothing is said. */
const TYPES = ['application/json', 'application/yaml'];

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
      const part: Part = { definition: definition!, version, fragments: new Map() };
      const parts = this.groupVersions.get(key);
      if (parts) parts.set(name, part);
      else this.groupVersions.set(key, new Map([[name, part]]));
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

  /** A kind of the group version has the scale subresource. */
  hasScale(key: string): boolean {
    return [...(this.groupVersions.get(key)?.values() ?? [])].some(({ version }) => version.subresources?.scale !== undefined);
  }

  /** What the definitions say in a document, in its order; made where it has not been. `key`: those of one group version. */
  async fragments(form: DocumentForm, key?: string): Promise<Fragment[]> {
    const groupVersions = key === undefined ? [...this.groupVersions].sort(byName).map(([, parts]) => parts) : [this.groupVersions.get(key) ?? new Map<string, Part>()];
    const parts = groupVersions.flatMap((ofVersion) => [...ofVersion].sort(byName).map(([, part]) => part));
    const fragments: Fragment[] = [];
    for (const part of parts) fragments.push(await fragmentOf(part, form));
    return fragments;
  }
}

function fragmentOf(part: Part, form: DocumentForm): Promise<Fragment> {
  let fragment = part.fragments.get(form);
  if (fragment === undefined) part.fragments.set(form, (fragment = makeFragment(part, form)));
  return fragment;
}

async function makeFragment(part: Part, form: DocumentForm): Promise<Fragment> {
  const paths = pathsOf(part);
  const pathsText = await form.paths(form.version === 2 ? renderPathsV2(paths) : renderPathsV3(paths));
  await nextTurn();
  const schemasText = await form.schemas(schemasOf(part, form.version));
  await nextTurn();
  return { paths: await gzipPiece(pathsText), schemas: await gzipPiece(schemasText) };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function factsOf({ definition, version }: Part): ResourceFacts {
  return customFacts(definition, version);
}

function schemasOf(part: Part, version: 2 | 3): Json {
  const facts = factsOf(part);
  return customSchemas(facts, part.definition.status?.acceptedNames?.listKind || `${facts.kind}List`, part.version, version);
}

function pathsOf(part: Part): PathOperations[] {
  const facts = factsOf(part);
  const watch = `/apis/${facts.group}/${facts.version}/watch/`;
  const paths = resourcePaths(facts, (group, version, kind) => (group === 'autoscaling' ? `io.k8s.api.autoscaling.${version}.${kind}` : definitionName(group, version, kind)));
  return paths.filter(({ path }) => !path.startsWith(watch)).map((path) => ({ ...path, operations: path.operations.map((operation) => asCustom(operation, facts)) }));
}

/** As upstream describes them, which is not what it says of kinds that are built in: every operation is about the kind itself, deleting a collection takes no options. */
function asCustom(operation: Operation, { group, version, kind }: ResourceFacts): Operation {
  const { body, action, parameters, responses } = operation;
  const types = action === 'patch' ? PATCH_TYPES.filter((type) => !type.includes('strategic')) : TYPES;
  const { body: _, ...rest } = operation;
  return {
    ...rest,
    kind: { group, version, kind },
    parameters: action === 'get' ? ['resourceVersion', ...parameters] : action === 'deletecollection' ? [...LIST_PARAMETERS, 'pretty'] : parameters,
    ...(body && action !== 'deletecollection' ? { body: { ...body, types } } : {}),
    responses: action === 'patch' ? responses.filter(({ code }) => code === 200) : responses,
    consumes: types,
    produces: TYPES,
  };
}
