import { run } from '../../base/steps.js';
import type { Draft } from '../../api/draft.js';
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../api/meta/object.js';
import { notAcceptableError } from '../../api/status-error.js';
import type { AdmissionAttributes } from '../admission/plugin.js';
import type { ApiRequest, ApiResponse } from '../handler/api-request.js';
import type { ApiCore } from '../handler/api-core.js';
import { managerName } from '../handler/manager-name.js';
import { respondObject } from '../handler/respond.js';
import type { CustomHandler } from '../handler/subresource.js';
import { writeOptions } from '../handler/write-options.js';
import type { ServerContext } from '../server-context.js';
import { ensureNamespace, metadataOf, wipeSystemFields } from './object-metadata.js';

/** A POST of an object that is answered rather than stored. */
export interface VirtualRequest<T> {
  readonly request: ApiRequest;
  /** Decoded, with defaults, after mutating admission. */
  readonly object: Draft<T>;
  readonly dryRun: boolean;
  /** Asks validating admission; throws what it refuses with. To be called once the object itself is known to be right. */
  validate(): Promise<void>;
}

export interface VirtualKind<T> {
  /** As in {@link CustomHandler.path}. */
  readonly path: string;
  readonly kind: GroupVersionKind;
  readonly defaults?: (draft: Draft<T>) => void;
  /** UID and resource version in the body mean something (preconditions); otherwise they are dropped. */
  readonly keepsSystemFields?: boolean;
  /** Returns what is answered, with 201 unless it says otherwise; `kind` and `apiVersion` are put in when they are missing. */
  run(call: VirtualRequest<T>): Promise<VirtualAnswer>;
}

export interface VirtualAnswer {
  readonly code?: number;
  readonly object: object;
}

/** The handler for POSTs of a kind that is not stored: reviews, bindings, evictions, token requests. */
export function virtualHandler<T extends KubeObject>(context: ServerContext, kind: VirtualKind<T>): CustomHandler {
  return {
    path: kind.path,
    verbs: ['create'],
    handle: (request) => handle(context, kind, request),
  };
}

async function handle<T extends KubeObject>(context: ServerContext, virtual: VirtualKind<T>, request: ApiRequest): Promise<ApiResponse> {
  const core = context.core();
  const { target } = core.negotiator.negotiate(request.accept, 'review');
  const options = writeOptions('CreateOptions', request.query);
  const { group, version, kind } = virtual.kind;
  const object = await run(core.codec.decodeKind<T>(request, group, version, kind, options.fieldValidation));
  const metadata = metadataOf(object as Draft<KubeObject>);
  if (!virtual.keepsSystemFields) wipeSystemFields(metadata);
  ensureNamespace(metadata, request.info.namespace);
  virtual.defaults?.(object);
  const served = core.scheme.kind(group, version, kind);
  if (served) core.fieldManagers.track(served, request.info.subresource, undefined, object as Draft<KubeObject>, managerName(request, options.fieldManager));
  const attributes = attributesOf(request, virtual.kind, object as Draft<KubeObject>, options.raw, options.dryRun);
  await core.admission.admit(attributes);
  const answer = await virtual.run({ request, object, dryRun: options.dryRun, validate: () => core.admission.validate(attributes) });
  const whole = asWritten(core, virtual.kind, { kind, apiVersion: apiVersionOf(virtual.kind), ...answer.object });
  if (target?.kind === 'PartialObjectMetadataList') throw noListError(virtual.kind);
  const answered = target === undefined || whole.kind === 'Status' || request.inProcess ? whole : onlyMetadata(whole, target.version);
  return respondObject(core, request, answer.code ?? 201, answered, 'review');
}

/** Empty lists and maps are answered as little as they would be stored. */
function asWritten(core: ApiCore, kind: GroupVersionKind, object: VirtualObject): VirtualObject {
  return object.kind === 'Status' ? object : (core.codec.writtenForm(object as KubeObject, kind) as VirtualObject);
}

interface VirtualObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata?: unknown;
}

function noListError({ group, kind }: GroupVersionKind): Error {
  // As upstream calls the type in its memory.
  return notAcceptableError(`you requested PartialObjectMetadataList, but the requested object is not a list (*${group === '' ? 'core' : group.split('.')[0]}.${kind})`);
}

/** As metadata-only clients want it. */
function onlyMetadata(object: VirtualObject, version: string): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata ?? {} };
}

function attributesOf(request: ApiRequest, kind: GroupVersionKind, object: Draft<KubeObject>, options: Readonly<Record<string, unknown>>, dryRun: boolean): AdmissionAttributes {
  const { info } = request;
  return {
    operation: 'CREATE',
    kind,
    resource: { group: info.group, version: info.version, resource: info.resource },
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name || (object.metadata?.name ?? ''),
    object,
    oldObject: undefined,
    options,
    dryRun,
    user: request.user,
    signal: () => request.signal,
    warn: (text) => request.warn(text),
  };
}

/** The Status that says that it was done. */
export const SUCCESS: VirtualAnswer = {
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};
