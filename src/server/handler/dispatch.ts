import { isPersisted, type ServedResource } from '../../api/scheme/scheme.js';
import { pathNotFoundError, type StatusError } from '../../api/status-error.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { handleCreate } from './create.js';
import { handleDelete } from './delete.js';
import { handleDeleteCollection } from './delete-collection.js';
import { handleGet } from './get.js';
import { handleList } from './list.js';
import { methodError, methodNotSupportedError } from './method-error.js';
import { handlePatch, handlePatchScale } from './patch.js';
import { handleGetScale, handleUpdateScale } from './scale.js';
import { pageNotFound } from '../http/text-response.js';
import type { CustomHandler } from './subresource.js';
import { handleUpdate } from './update.js';
import { handleWatch } from './watch.js';

/** What is asked of objects by their name. */
const ITEM_VERBS: readonly string[] = ['get', 'update', 'patch', 'delete'];

/** Finds the handler of a resource request. It knows verbs; kinds are in the scheme. */
export class Dispatcher {
  private readonly custom: ReadonlyMap<string, CustomHandler>;
  private readonly builtInGroups: ReadonlySet<string>;
  private readonly targets = new WeakMap<ServedResource, Target>();

  constructor(
    private readonly core: ApiCore,
    handlers: readonly CustomHandler[],
  ) {
    this.builtInGroups = new Set([...core.scheme.resources].flatMap(({ custom, facts }) => (custom ? [] : [facts.group])));
    this.custom = new Map(handlers.map((handler) => [handler.path, handler]));
  }

  /** Answers a request that has been authorized. Throws `StatusError`s. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    const { info } = request;
    const resource = this.core.scheme.resource(info.group, info.version, info.resource);
    // Upstream finds the group version by what the path begins with.
    if (info.path.startsWith('//') || (info.apiPrefix === 'apis' && info.group === '')) return this.nothing(request);
    if (resource ? resource.custom && isElsewhere(request, resource) : !this.builtInGroups.has(info.group)) return this.nothing(request);
    if (!resource || (info.namespace !== '' && !resource.facts.namespaced && info.resource !== 'namespaces')) throw pathNotFoundError();
    checkRoute(request, resource);
    if (resource.definition.deprecation !== undefined) request.warn(resource.definition.deprecation);
    const custom = this.custom.get(info.subresource === '' ? `${info.group}/${info.resource}` : `${info.group}/${info.resource}/${info.subresource}`);
    if (custom) {
      if (!custom.verbs.includes(info.verb)) throw methodError();
      return custom.handle(request);
    }
    if (!isPersisted(resource.facts)) throw pathNotFoundError();
    const target = this.target(resource);
    return info.subresource === '' ? this.object(request, target) : this.subresource(request, target);
  }

  /** What upstream's handler of custom resources leaves to others, and nobody else answers. */
  private nothing(request: ApiRequest): Promise<ApiResponse> {
    if (request.inProcess) throw pathNotFoundError();
    return Promise.resolve(pageNotFound());
  }

  private object(request: ApiRequest, target: Target): Promise<ApiResponse> {
    const { core } = this;
    const { verb } = request.info;
    if (!target.resource.facts.verbs.includes(verb)) throw refusal(target, verb);
    switch (verb) {
      case 'get':
        return handleGet(core, request, target);
      case 'list':
        return handleList(core, request, target);
      case 'watch':
        return handleWatch(core, request, target);
      case 'create':
        // Objects are created where their collection is.
        if (request.info.name !== '' && !target.resource.custom) throw methodError();
        return handleCreate(core, request, target);
      case 'update':
        return handleUpdate(core, request, target);
      case 'patch':
        return handlePatch(core, request, target);
      case 'delete':
        return handleDelete(core, request, target);
      case 'deletecollection':
        return handleDeleteCollection(core, request, target);
      default:
        throw methodError();
    }
  }

  private subresource(request: ApiRequest, target: Target): Promise<ApiResponse> {
    const { core } = this;
    const { verb, subresource } = request.info;
    const facts = target.resource.subresources.get(subresource);
    if (!facts) throw target.resource.custom ? target.registry.notFound(request.info.name) : pathNotFoundError();
    if (!facts.verbs.includes(verb)) throw refusal(target, verb);
    const { scale } = target.resource.definition;
    if (subresource === 'scale' && scale) {
      if (verb === 'get') return handleGetScale(core, request, target, scale);
      return verb === 'patch' ? handlePatchScale(core, request, target, scale) : handleUpdateScale(core, request, target, scale);
    }
    // Only subresources that are the object itself can be served here.
    if (facts.kind !== target.resource.facts.kind) throw pathNotFoundError();
    switch (verb) {
      case 'get':
        return handleGet(core, request, target);
      case 'update':
        return handleUpdate(core, request, target);
      case 'patch':
        return handlePatch(core, request, target);
      default:
        throw methodError();
    }
  }

  private target(resource: ServedResource): Target {
    let target = this.targets.get(resource);
    if (!target) {
      const registry = this.core.registry(resource);
      target = { resource, registry, cache: registry.cache };
      this.targets.set(resource, target);
    }
    return target;
  }
}

/** The paths that watches once had, apart from those of lists. */
const OLD_WATCH = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//;

/** Custom kinds have a handler of their own that refuses what it does not do. */
function refusal({ resource }: Target, verb: string): StatusError {
  return resource.custom ? methodNotSupportedError(resource.facts, verb) : methodError();
}

/** What upstream's router finds out: whether there is such a path at all, whatever the method is, and then whether it has the method. */
function checkRoute({ info, method }: ApiRequest, resource: ServedResource): void {
  if (resource.custom) return;
  const { facts, subresources } = resource;
  const { name, namespace, subresource, rest } = info;
  if (subresource !== '' && !subresources.has(subresource)) throw pathNotFoundError();
  if (rest !== '' && subresource !== 'proxy') throw pathNotFoundError();
  if (info.verb === 'watch' && !facts.verbs.includes('watch') && OLD_WATCH.test(info.path)) throw pathNotFoundError();
  // Lists have their name from a selector.
  const named = name !== '' && info.verb !== 'list' && info.verb !== 'watch';
  const acrossNamespaces = facts.namespaced && namespace === '';
  if (acrossNamespaces && (named || !facts.verbs.includes('list'))) throw pathNotFoundError();
  if (named && subresource === '' && !ITEM_VERBS.some((verb) => facts.verbs.includes(verb))) throw pathNotFoundError();
  if (subresource === 'proxy') return;
  if (method === 'HEAD' || info.verb === '') throw methodError();
  if (name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodError();
  if (acrossNamespaces && info.verb !== 'list' && info.verb !== 'watch') throw methodError();
}

/** Where upstream's handler of custom resources looks away: nothing else is found at such a path either. */
function isElsewhere({ info }: ApiRequest, { facts }: ServedResource): boolean {
  if (!facts.namespaced) return info.namespace !== '';
  return info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch';
}
