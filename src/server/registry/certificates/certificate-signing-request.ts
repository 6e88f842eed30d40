import type { Draft } from '../../../api/draft.js';
import type { V1CertificateSigningRequest } from '../../../api/generated/types.js';
import type { CommitContext, CommitExtras, RegistryHook } from '../hooks.js';

/** A request says who made it, whatever its maker wrote there. */
export class CertificateSigningRequestHook implements RegistryHook<V1CertificateSigningRequest> {
  beforeCreate(draft: Draft<V1CertificateSigningRequest>, { user }: CommitContext): CommitExtras {
    const spec = draft.spec;
    spec.username = user.name;
    if (user.uid === '') delete spec.uid;
    else spec.uid = user.uid;
    if (user.groups.length === 0) delete spec.groups;
    else spec.groups = [...user.groups];
    const extra = Object.entries(user.extra);
    if (extra.length === 0) delete spec.extra;
    else spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
    return {};
  }
}
