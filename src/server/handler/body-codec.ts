import type { Steps } from '../../base/steps.js';
import type { Draft } from '../../api/draft.js';
import type { GroupVersionKind, KubeObject } from '../../api/meta/object.js';
import type { PatchType, PreparedPatch } from '../../api/patch/apply-patch.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import type { ApiRequest } from './api-request.js';
import type { FieldValidation } from './write-options.js';

/** The configuration in the body of a server-side apply, as it was sent, and the duplicate keys in it. */
export interface DecodedApply {
  readonly object: KubeObject;
  readonly strictErrors: readonly string[];
}

/** Between bytes and objects. Failures are 400, 415 and 422 `Status` errors in upstream's words. */
export interface BodyCodec {
  /**
   * The object in a request's body, checked against the type of the resource's kind; unknown and duplicate fields are refused, warned
   * about or dropped as `validation` says. A body that names no kind is taken to be of the expected one. In the served version, without defaults.
   */
  decodeObject(request: ApiRequest, resource: ServedResource, validation: FieldValidation): Steps<Draft<KubeObject>>;
  /** The same for a kind that is no resource (`DeleteOptions`, `Scale`). */
  decodeKind<T>(request: ApiRequest, group: string, version: string, kind: string, validation: FieldValidation): Steps<Draft<T>>;
  /** The patch in a request's body for objects of a kind. */
  preparePatch(request: ApiRequest, type: Exclude<PatchType, 'apply'>, kind: GroupVersionKind, validation: FieldValidation): Steps<PreparedPatch>;
  /** The configuration in the body of a server-side apply. */
  decodeApply(request: ApiRequest): Steps<DecodedApply>;
  /** What an apply made, brought into the form of its type, unknown fields dropped. Throws `KUBE_CANNOT_DECODE`. */
  checkObject(object: KubeObject, kind: GroupVersionKind): KubeObject;
  /** The same for an object that was not typed before, with the complaints of a decoder. Objects of custom kinds come back as they are. */
  readObject(object: KubeObject, kind: GroupVersionKind): KubeObject;
  /** An object of a kind as it is written: with what stands there although it is empty. Never changes its argument. */
  writtenForm(object: KubeObject, kind: GroupVersionKind): KubeObject;
  /** An object as YAML. */
  toYaml(object: unknown): Buffer;
  /** An object as protobuf; it says itself what kind it is. Throws a 406 `Status` when its kind has no such form. */
  toProtobuf(object: unknown): Buffer;
}
