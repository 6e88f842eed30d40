import { KubeError } from '../../base/errors.js';

/** Status codes of gRPC that matter here. */
export const GRPC = {
  ok: 0, cancelled: 1, unknown: 2, invalidArgument: 3, deadlineExceeded: 4, notFound: 5, permissionDenied: 7, resourceExhausted: 8,
  failedPrecondition: 9, outOfRange: 11, unimplemented: 12, internal: 13, unavailable: 14, unauthenticated: 16,
} as const;

/** How one call of one etcd member failed. */
export class EtcdCallError extends Error {
  constructor(
    readonly status: number,
    readonly details: string,
    readonly endpoint: string,
    /** The request never left this process. */
    readonly unsent: boolean,
  ) {
    super(details);
  }

  /** The member may have done what was asked, or may do it yet. */
  get isUnknown(): boolean {
    if (this.unsent) return false;
    return this.status === GRPC.unavailable || this.status === GRPC.deadlineExceeded || this.status === GRPC.cancelled || this.status === GRPC.internal || this.status === GRPC.unknown;
  }

  /** Another member may answer. */
  get isTransient(): boolean {
    return this.unsent || this.isUnknown;
  }

  /** The token has expired, or users were changed since it was made. */
  get wantsToken(): boolean {
    return this.status === GRPC.unauthenticated || /invalid auth token|auth revision|revision of the authorization store/i.test(this.details);
  }
}

/** A failed call in the terms of the store's contract. A write whose outcome is not known is for the caller to tell. */
export function storeErrorOf(error: unknown): unknown {
  if (!(error instanceof EtcdCallError)) return error;
  const { status, details, endpoint } = error;
  const options = { cause: error };
  if (/request is too large|larger than max/.test(details)) return new KubeError('KUBE_STORE_TOO_LARGE', 'etcdserver: request is too large', options);
  if (/database space exceeded/.test(details)) return new KubeError('KUBE_STORE_FULL', `${details}: nothing was written; compact and defragment etcd, then disarm its alarm`, options);
  if (status === GRPC.outOfRange && /compacted/.test(details)) return new KubeError('KUBE_STORE_COMPACTED', details, options);
  if (status === GRPC.permissionDenied || status === GRPC.unauthenticated || /authentication failed|user name is empty|authentication is not enabled/.test(details)) {
    return new KubeError('KUBE_STORE_DENIED', `etcd at ${endpoint} refuses access: ${details}`, options);
  }
  return new KubeError('KUBE_STORE_UNAVAILABLE', `etcd at ${endpoint} does not answer as it should: ${details}`, options);
}
