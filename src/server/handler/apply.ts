import type { Steps } from '../../base/steps.js';
import { ApplyConflict } from '../../api/apply/conflict.js';
import type { FieldManager } from '../../api/apply/field-manager.js';
import { TypedError } from '../../api/apply/typed-error.js';
import { isDecodeError, strictWarnings } from '../../api/codec/decode-error.js';
import { toDraftSteps, type Draft } from '../../api/draft.js';
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../api/meta/object.js';
import { badRequestError, StatusError } from '../../api/status-error.js';
import type { ApiCore } from './api-core.js';
import type { ApiRequest } from './api-request.js';
import type { DecodedApply } from './body-codec.js';
import { setManagedFields } from './field-managers.js';
import type { WriteOptions } from './write-options.js';

/** A server-side apply that can be tried again and again on whatever the object is by then. */
export interface PreparedApply {
  /** What the object becomes, in the served version and without defaults; `live` undefined: it is created. Throws a `StatusError`. */
  apply(live: KubeObject | undefined): Steps<Draft<KubeObject>>;
}

/** Reads the configuration in a request's body. What is wrong with it is told when it is applied: after an absent object. */
export function prepareApply(core: ApiCore, request: ApiRequest, kind: GroupVersionKind, manager: FieldManager, options: WriteOptions): PreparedApply {
  let decoded: DecodedApply | undefined;
  let warned = false;
  return {
    apply: function* (live) {
      const { object: config, strictErrors } = (decoded ??= yield* core.codec.decodeApply(request));
      checkConfig(config, kind);
      yield;
      const result = yield* translated(config, function* () {
        const { object, managedFields } = yield* manager.applySteps(live, config, options.fieldManager, options.force === true, core.fieldManagers.now());
        const checked = object === undefined && live !== undefined ? live : core.codec.checkObject((object ?? config) as KubeObject, kind);
        yield;
        // The outcome shares parts with the stored object and with the configuration.
        const draft = yield* toDraftSteps(checked);
        setManagedFields(draft, managedFields);
        return draft;
      });
      if (strictErrors.length > 0 && options.fieldValidation !== 'Ignore') {
        if (options.fieldValidation === 'Strict') throw badRequestError(`error strict decoding YAML: error converting YAML to JSON: ${strictErrors.join('\n')}`);
        if (!warned) for (const text of strictWarnings(strictErrors)) request.warn(text);
        warned = true;
      }
      return result;
    },
  };
}

function checkConfig(config: KubeObject, kind: GroupVersionKind): void {
  const { apiVersion, kind: name } = config as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (apiVersion !== apiVersionOf(kind) || name !== kind.kind) throw badRequestError(`invalid object type: ${goKind(apiVersion, name)}`);
  const entries: unknown = config.metadata?.managedFields;
  if (Array.isArray(entries)) throw badRequestError('metadata.managedFields must be nil');
}

function* translated<T>(config: KubeObject, work: () => Steps<T>): Steps<T> {
  try {
    return yield* work();
  } catch (error) {
    if (error instanceof ApplyConflict) throw conflict(error);
    if (error instanceof TypedError) throw failure(`failed to create typed patch object (${described(config)}): ${error.message}`);
    if (isDecodeError(error)) {
      throw failure(`failed to convert new object (${described(config)}) to proper version: unable to convert unstructured object to ${goKind(config.apiVersion, config.kind)}: ${error.message}`);
    }
    throw error;
  }
}

function conflict(error: ApplyConflict): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: error.message, reason: 'Conflict', details: { causes: error.causes }, code: 409 });
}

/** Upstream does not tell such errors from faults of its own. */
function failure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function described({ metadata, apiVersion, kind }: KubeObject): string {
  return `${textOf(metadata?.namespace)}/${textOf(metadata?.name)}; ${goKind(apiVersion, kind)}`;
}

/** What is no text counts as absent. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function goKind(apiVersion: unknown, kind: unknown): string {
  const version = textOf(apiVersion);
  return `${version === '' ? '/' : version.includes('/') ? version : `/${version}`}, Kind=${textOf(kind)}`;
}
