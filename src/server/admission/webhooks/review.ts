import { apiVersionOf, type KubeObject } from '../../../api/meta/object.js';
import type { UserInfo } from '../../authn/authenticator.js';
import { EncodedReview } from '../../webhook/webhook-caller.js';
import type { AdmissionAttributes } from '../plugin.js';
import type { Invocation } from './hook-source.js';

/** Versions of `AdmissionReview` that are spoken here. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** The state of an object before and after a request, in the version that a webhook asked for. */
export interface ReviewObjects {
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** The first version in a webhook's list that is known; undefined: none is. */
export function reviewVersion(versions: readonly string[] | undefined): ReviewVersion | undefined {
  return versions?.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');
}

/** The objects of a request are the same for many webhooks, and may be most of what they are sent. */
const encoded = new WeakMap<KubeObject, Buffer>();
const NOTHING = Buffer.from('null');

/** What a webhook is asked. Objects must not change any more. */
export function admissionReview(version: ReviewVersion, uid: string, { resource, kind }: Invocation, a: AdmissionAttributes, { object, oldObject }: ReviewObjects): EncodedReview {
  const { subresource, name, namespace, operation } = a;
  const review = {
    kind: 'AdmissionReview',
    apiVersion: apiVersionOf({ group: 'admission.k8s.io', version }),
    request: {
      uid,
      kind,
      resource,
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: a.kind,
      requestResource: a.resource,
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: userOf(a.user),
      dryRun: a.dryRun,
      options: operation === 'CONNECT' ? null : a.options,
    },
  };
  const begin = JSON.stringify(review).slice(0, -2);
  return new EncodedReview([Buffer.from(`${begin},"object":`), encode(object), Buffer.from(',"oldObject":'), encode(oldObject), Buffer.from('}}')]);
}

function encode(object: KubeObject | undefined): Buffer {
  if (!object) return NOTHING;
  let bytes = encoded.get(object);
  if (!bytes) encoded.set(object, (bytes = Buffer.from(JSON.stringify(object))));
  return bytes;
}

function userOf({ name, uid, groups, extra }: UserInfo): object {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
