import { badRequestError, goneError, StatusError } from '../../api/status-error.js';
import type { OrderedMap } from '../../base/ordered-map.js';
import type { CacheEntry } from '../registry/cache-entry.js';
import { decodeContinue, encodeContinue } from '../registry/continue-token.js';
import { selectConverted } from '../registry/converted-selection.js';
import type { ResourceCache } from '../registry/resource-cache.js';
import { namespaceRange } from '../registry/resource-key.js';
import type { Selection } from '../registry/selection.js';
import type { ListMetadata, View } from '../registry/view.js';
import type { Negotiated } from './accept.js';
import type { ApiCore, Target } from './api-core.js';
import type { ApiRequest, ApiResponse } from './api-request.js';
import { tooLargeRevisionError } from './get.js';
import { listOptions, selectionOf, type ListOptions } from './list-options.js';
import { invalidRevisionError, parseRevision } from './query-values.js';
import { prettyBytes, prettyPieces } from './pretty-json.js';
import { isPretty, negotiateFor, requestedView, YAML_TYPE } from './respond.js';

const INCONSISTENT_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** One page of a resource. */
export interface Page {
  readonly metadata: ListMetadata;
  readonly entries: readonly CacheEntry[];
}

/** GET of a collection. */
export async function handleList(core: ApiCore, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const negotiated = negotiateFor(core, request, target.resource, true);
  const options = listOptions(request.info, request.query, target.resource);
  const view = requestedView(core, request, target.resource, negotiated, true);
  const selection = selectionOf(options, target.resource, request.info.namespace, target.registry.readField);
  const { metadata, entries } = await readPage(core, target, selection, options);
  if (request.inProcess) return { type: 'object', code: 200, object: view.listObject(metadata, entries) };
  return listResponse(core, request, negotiated, view, metadata, entries);
}

/** A list as bytes: at once when it is small, in pieces otherwise. */
export async function listResponse(core: ApiCore, request: ApiRequest, negotiated: Negotiated, view: View, metadata: ListMetadata, entries: readonly CacheEntry[]): Promise<ApiResponse> {
  const { mediaType } = view;
  const pieces = inTurn(view.listPieces(metadata, entries));
  const first = await pieces.next();
  const second = await pieces.next();
  const begun = [first, second].flatMap(({ done, value }) => (done ? [] : [value]));
  if (negotiated.format === 'yaml') {
    for await (const piece of pieces) begun.push(piece);
    return { type: 'bytes', code: 200, mediaType: YAML_TYPE, bytes: await core.yaml.write(Buffer.concat(begun)) };
  }
  if (negotiated.format === 'json' && isPretty(request, negotiated)) {
    if (second.done) return { type: 'bytes', code: 200, mediaType, bytes: await prettyBytes(begun[0]!) };
    return { type: 'stream', code: 200, mediaType, chunks: prettyPieces(inTurn(begun, pieces)) };
  }
  if (second.done) return { type: 'bytes', code: 200, mediaType, bytes: begun[0]! };
  return { type: 'stream', code: 200, mediaType, chunks: inTurn(begun, pieces) };
}

/** Reads what the options ask for, at the revision they ask for. */
export async function readPage(core: ApiCore, { cache, registry }: Target, selection: Selection, options: ListOptions): Promise<Page> {
  const range = namespaceRange(selection.namespace);
  const base = range.start ?? '';
  const limit = options.limit > 0 ? options.limit : Infinity;
  const { tree, revision, start } = await resolve(core, cache, options, base);
  const { converted } = registry;
  const { entries, more } = converted ? await selectConverted(cache, converted, tree, selection, start, limit) : cache.select(tree, selection, start, limit);
  const resourceVersion = String(revision);
  if (!more) return { metadata: { resourceVersion }, entries };
  const next = `${entries[entries.length - 1]!.key}\0`;
  const metadata: ListMetadata = {
    resourceVersion,
    continue: encodeContinue({ revision, start: next.slice(base.length) }),
    // Only a list without selectors can tell how many are left.
    ...(selection.isEverything ? { remainingItemCount: tree.count(next, range.end) } : {}),
  };
  return { metadata, entries };
}

interface Place {
  readonly tree: OrderedMap<CacheEntry>;
  readonly revision: number;
  readonly start: string | undefined;
}

async function resolve(core: ApiCore, cache: ResourceCache, options: ListOptions, base: string): Promise<Place> {
  const { cacher } = core;
  if (options.continue !== '') {
    const token = decodeContinue(options.continue);
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') throw badRequestError('specifying resource version is not allowed when using continue');
    const start = base + token.start;
    await cacher.fresh();
    if (token.revision < 0) return { tree: cache.tree, revision: cacher.revision, start };
    if (!(await cacher.reach(token.revision))) throw tooLargeRevisionError(token.revision, cacher.revision);
    if (isForgotten(core, cache, token.revision)) throw inconsistentContinueError(token.start);
    return { tree: cache.treeAt(token.revision), revision: token.revision, start };
  }
  const wanted = parseRevision(options.resourceVersion);
  if (wanted === undefined) {
    throw invalidRevisionError(options.resourceVersion, 'invalid resource version: ');
  }
  if (options.resourceVersion === '') {
    await cacher.fresh();
    return { tree: cache.tree, revision: cacher.revision, start: undefined };
  }
  if (!(await cacher.reach(wanted))) throw tooLargeRevisionError(wanted, cacher.revision);
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0 && wanted > 0);
  if (!exact) return { tree: cache.tree, revision: cacher.revision, start: undefined };
  if (isForgotten(core, cache, wanted)) throw goneError('The resourceVersion for the provided list is too old.');
  return { tree: cache.treeAt(wanted), revision: wanted, start: undefined };
}

function isForgotten({ cacher }: ApiCore, cache: ResourceCache, revision: number): boolean {
  return revision < Math.max(cache.oldestRevision, cacher.readableFrom);
}

function inconsistentContinueError(start: string): StatusError {
  const { status } = goneError(INCONSISTENT_CONTINUE);
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ revision: -1, start }) } });
}

async function* inTurn(...parts: readonly (Iterable<Buffer> | AsyncIterable<Buffer>)[]): AsyncGenerator<Buffer, undefined> {
  for (const part of parts) yield* part;
}
