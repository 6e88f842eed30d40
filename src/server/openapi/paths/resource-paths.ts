import type { ResourceFacts, SubresourceFacts } from '../../../api/scheme/resource-facts.js';
import {
  ANY_TYPE, DELETE_OPTIONS, LIST_TYPES, OBJECT_TYPES, PATCH, PATCH_TYPES, STATUS, WATCH_EVENT,
  type Operation, type OperationResponse, type PathOperations, type Payload,
} from './operation.js';
import { DELETE_COLLECTION_PARAMETERS, DELETE_PARAMETERS, LIST_PARAMETERS, optionParameters, PATCH_PARAMETERS, WRITE_PARAMETERS } from './parameters.js';

/** Finds the definition of a kind. */
export type DefinitionOf = (group: string, version: string, kind: string) => string;

/** Resources whose DELETE answers with the object instead of a Status. */
const DELETE_GIVES_OBJECT: ReadonlySet<string> = new Set([
  '/persistentvolumeclaims', '/persistentvolumes', '/pods', '/podtemplates', '/resourcequotas', '/serviceaccounts', '/services',
  'storage.k8s.io/csidrivers', 'storage.k8s.io/csinodes', 'storage.k8s.io/storageclasses', 'storage.k8s.io/volumeattachments', 'storage.k8s.io/volumeattributesclasses',
  'resource.k8s.io/deviceclasses', 'resource.k8s.io/resourceclaims', 'resource.k8s.io/resourceclaimtemplates', 'resource.k8s.io/resourceslices',
]);

const CONNECT_METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
const CONNECT_VERBS: Readonly<Record<string, string>> = { get: 'get', put: 'update', post: 'create', delete: 'delete', patch: 'patch' };
/** Subresources that stand for a connection, by name. */
const CONNECT: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/** `AppsV1`, `RbacAuthorizationV1`, `CoreV1`: the part of operation ids that names a group version. */
export function groupVersionId(group: string, version?: string): string {
  const words = group === '' ? ['core'] : group.replace(/\.k8s\.io$/, '').split('.');
  return [...words, ...(version === undefined ? [] : [version])].map(capital).join('');
}

/** `apps_v1`, `rbacAuthorization_v1`, `core_v1`. */
export function groupVersionTag(group: string, version?: string): string {
  const id = groupVersionId(group);
  return `${id[0]!.toLowerCase()}${id.slice(1)}${version === undefined ? '' : `_${version}`}`;
}

/** Every path of a resource and its subresources. */
export function resourcePaths(resource: ResourceFacts, definitionOf: DefinitionOf): PathOperations[] {
  return new ResourcePaths(resource, definitionOf).all().filter(({ operations }) => operations.length > 0);
}

class ResourcePaths {
  private readonly prefix: string;
  private readonly id: string;
  private readonly tag: string;
  /** `Namespaced` or nothing, as in operation ids. */
  private readonly scope: string;
  private readonly collection: string;

  constructor(
    private readonly resource: ResourceFacts,
    private readonly definitionOf: DefinitionOf,
  ) {
    const { group, version, namespaced } = resource;
    this.prefix = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    this.id = groupVersionId(group, version);
    this.tag = groupVersionTag(group, version);
    this.scope = namespaced ? 'Namespaced' : '';
    this.collection = `${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  }

  all(): PathOperations[] {
    const item = `${this.collection}/{name}`;
    const paths = [
      this.path(this.collection, [this.list(''), this.create(), this.deleteCollection()]),
      this.path(item, [this.read(), this.replace(), this.patch(), this.remove()]),
      ...(this.resource.subresources ?? []).flatMap((subresource) => this.subresource(item, subresource)),
    ];
    if (this.resource.namespaced) paths.push(this.path(`/${this.resource.resource}`, [this.list('ForAllNamespaces')]));
    if (!this.can('watch')) return paths;
    paths.push(this.path(`/watch${this.collection}`, [this.watchList('')]), this.path(`/watch${item}`, [this.watchOne()]));
    if (this.resource.namespaced) paths.push(this.path(`/watch/${this.resource.resource}`, [this.watchList('ForAllNamespaces')]));
    return paths;
  }

  private path(path: string, operations: readonly (Operation | undefined)[], subject = this.resource.kind): PathOperations {
    return { path: `${this.prefix}${path}`, subject, operations: operations.filter((operation) => operation !== undefined) };
  }

  private can(verb: string): boolean {
    return this.resource.verbs.includes(verb);
  }

  private definition(kind = this.resource.kind, group = this.resource.group, version = this.resource.version): Payload {
    return { definition: this.definitionOf(group, version, kind) };
  }

  private list(suffix: string): Operation | undefined {
    if (!this.can('list')) return undefined;
    const { kind } = this.resource;
    return this.operation('get', 'list', `list${this.id}${suffix === '' ? this.scope : ''}${kind}${suffix}`, {
      description: `list ${this.can('watch') ? 'or watch ' : ''}objects of kind ${kind}`,
      parameters: [...LIST_PARAMETERS, 'pretty'],
      responses: ok(this.definition(`${kind}List`)),
      produces: LIST_TYPES,
    });
  }

  private create(): Operation | undefined {
    if (!this.can('create')) return undefined;
    const { kind } = this.resource;
    return this.operation('post', 'post', `create${this.id}${this.scope}${kind}`, {
      description: `create ${article(kind)} ${kind}`,
      parameters: [...WRITE_PARAMETERS, 'pretty'],
      body: objectBody(this.definition()),
      responses: created(this.definition(), 202),
    });
  }

  private deleteCollection(): Operation | undefined {
    if (!this.can('deletecollection')) return undefined;
    const { kind } = this.resource;
    return this.operation('delete', 'deletecollection', `delete${this.id}Collection${this.scope}${kind}`, {
      description: `delete collection of ${kind}`,
      parameters: [...DELETE_COLLECTION_PARAMETERS, 'pretty'],
      body: { payload: { definition: DELETE_OPTIONS }, required: false, types: ANY_TYPE },
      responses: ok({ definition: STATUS }),
    });
  }

  private read(): Operation | undefined {
    if (!this.can('get')) return undefined;
    const { kind } = this.resource;
    return this.operation('get', 'get', `read${this.id}${this.scope}${kind}`, { description: `read the specified ${kind}`, parameters: ['pretty'], responses: ok(this.definition()) });
  }

  private replace(): Operation | undefined {
    if (!this.can('update')) return undefined;
    const { kind } = this.resource;
    return this.operation('put', 'put', `replace${this.id}${this.scope}${kind}`, {
      description: `replace the specified ${kind}`,
      parameters: [...WRITE_PARAMETERS, 'pretty'],
      body: objectBody(this.definition()),
      responses: created(this.definition()),
    });
  }

  private patch(): Operation | undefined {
    if (!this.can('patch')) return undefined;
    const { kind } = this.resource;
    return this.operation('patch', 'patch', `patch${this.id}${this.scope}${kind}`, {
      description: `partially update the specified ${kind}`,
      parameters: [...PATCH_PARAMETERS, 'pretty'],
      body: PATCH_BODY,
      responses: created(this.definition()),
    });
  }

  private remove(): Operation | undefined {
    if (!this.can('delete')) return undefined;
    const { kind, group, resource } = this.resource;
    const payload = DELETE_GIVES_OBJECT.has(`${group}/${resource}`) ? this.definition() : { definition: STATUS };
    return this.operation('delete', 'delete', `delete${this.id}${this.scope}${kind}`, {
      description: `delete ${article(kind)} ${kind}`,
      parameters: [...DELETE_PARAMETERS, 'pretty'],
      body: { payload: { definition: DELETE_OPTIONS }, required: false, types: ANY_TYPE },
      responses: [{ code: 200, description: 'OK', payload }, { code: 202, description: 'Accepted', payload }],
    });
  }

  private watchList(suffix: string): Operation {
    const { kind } = this.resource;
    return this.operation('get', 'watchlist', `watch${this.id}${suffix === '' ? this.scope : ''}${kind}List${suffix}`, {
      description: `watch individual changes to a list of ${kind}. deprecated: use the 'watch' parameter with a list operation instead.`,
      parameters: [...LIST_PARAMETERS, 'pretty'],
      responses: ok({ definition: WATCH_EVENT }),
      produces: LIST_TYPES,
    });
  }

  private watchOne(): Operation {
    const { kind } = this.resource;
    return this.operation('get', 'watch', `watch${this.id}${this.scope}${kind}`, {
      description: `watch changes to an object of kind ${kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`,
      parameters: [...LIST_PARAMETERS, 'pretty'],
      responses: ok({ definition: WATCH_EVENT }),
      produces: LIST_TYPES,
    });
  }

  private subresource(item: string, subresource: SubresourceFacts): PathOperations[] {
    const path = `${item}/${subresource.name}`;
    if (CONNECT.has(subresource.name)) return this.connections(path, subresource);
    if (subresource.name === 'log') return [this.path(path, [this.log()])];
    const group = subresource.version === undefined ? this.resource.group : (subresource.group ?? '');
    const version = subresource.version ?? this.resource.version;
    const { name, kind, verbs } = subresource;
    const payload = this.definition(kind, group, version);
    const on = { group, version, kind };
    const id = `${this.id}${this.scope}${this.resource.kind}${capital(name)}`;
    const of = `${name} of the specified ${this.resource.kind}`;
    return [
      this.path(path, [
        verbs.includes('get') ? this.operation('get', 'get', `read${id}`, { description: `read ${of}`, parameters: ['pretty'], responses: ok(payload), on }) : undefined,
        verbs.includes('update')
          ? this.operation('put', 'put', `replace${id}`, { description: `replace ${of}`, parameters: [...WRITE_PARAMETERS, 'pretty'], body: objectBody(payload), responses: created(payload), on })
          : undefined,
        verbs.includes('create')
          ? this.operation('post', 'post', `create${id}`, {
              description: `create ${name} of ${article(this.resource.kind)} ${this.resource.kind}`,
              parameters: [...WRITE_PARAMETERS, 'pretty'],
              body: objectBody(payload),
              responses: created(payload, 202),
              on,
            })
          : undefined,
        verbs.includes('patch')
          ? this.operation('patch', 'patch', `patch${id}`, { description: `partially update ${of}`, parameters: [...PATCH_PARAMETERS, 'pretty'], body: PATCH_BODY, responses: created(payload), on })
          : undefined,
      ], kind),
    ];
  }

  private log(): Operation {
    return this.operation('get', 'get', `read${this.id}${this.scope}${this.resource.kind}Log`, {
      description: `read log of the specified ${this.resource.kind}`,
      parameters: optionParameters('log'),
      responses: ok('string'),
      produces: ['text/plain', ...OBJECT_TYPES],
    });
  }

  private connections(path: string, { name, kind, verbs }: SubresourceFacts): PathOperations[] {
    // HEAD and OPTIONS come with whatever can do everything else.
    const methods = CONNECT_METHODS.filter((method) => (name === 'proxy' ? true : verbs.includes(CONNECT_VERBS[method] ?? '')));
    const operations = (suffix: string): Operation[] =>
      methods.map((method) =>
        this.operation(method, 'connect', `connect${this.id}${capital(method)}${this.scope}${this.resource.kind}${capital(name)}${suffix}`, {
          description: `connect ${method.toUpperCase()} requests to ${name} of ${this.resource.kind}`,
          parameters: optionParameters(kind),
          responses: ok('string'),
          produces: ANY_TYPE,
          on: { group: this.resource.group, version: this.resource.version, kind },
        }));
    const paths = [this.path(path, operations(''), kind)];
    if (name === 'proxy') paths.push(this.path(`${path}/{path}`, operations('WithPath'), kind));
    return paths;
  }

  private operation(method: Operation['method'], action: string, operationId: string, more: Omit<Partial<Operation>, 'kind'> & Pick<Operation, 'description' | 'parameters' | 'responses'> & { readonly on?: Operation['kind'] }): Operation {
    const { on, ...rest } = more;
    const { group, version, kind } = this.resource;
    return {
      method,
      operationId,
      tag: this.tag,
      action,
      kind: on ?? { group, version, kind },
      consumes: rest.body?.types ?? ANY_TYPE,
      produces: OBJECT_TYPES,
      ...rest,
    };
  }
}

const PATCH_BODY = { payload: { definition: PATCH }, required: true, types: PATCH_TYPES } as const;

function objectBody(payload: Payload): NonNullable<Operation['body']> {
  return { payload, required: true, types: ANY_TYPE };
}

function ok(payload: Payload): OperationResponse[] {
  return [{ code: 200, description: 'OK', payload }];
}

function created(payload: Payload, accepted?: 202): OperationResponse[] {
  return [
    { code: 200, description: 'OK', payload },
    { code: 201, description: 'Created', payload },
    ...(accepted ? [{ code: accepted, description: 'Accepted', payload }] : []),
  ];
}

function capital(text: string): string {
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function article(kind: string): string {
  return /^[AEIOU]/.test(kind) ? 'an' : 'a';
}
