import { toDraft } from '../../api/draft.js';
import type { KubeObject } from '../../api/meta/object.js';
import type { ResourceRef } from '../../api/resource-refs.js';
import type { AdmissionAttributes } from '../admission/plugin.js';
import { simpleUser } from '../authn/users.js';

/** Attributes of a request of `jane` about `object`, a create unless `overrides` say otherwise. The object is copied. */
export function attributesFor<T extends KubeObject>(ref: ResourceRef<T>, object: T | undefined, overrides: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const metadata = object?.metadata ?? overrides.oldObject?.metadata;
  return {
    operation: 'CREATE',
    kind: { group: ref.group, version: ref.version, kind: ref.kind },
    resource: { group: ref.group, version: ref.version, resource: ref.resource },
    subresource: '',
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    object: object ? toDraft<KubeObject>(object) : undefined,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: simpleUser('jane', ['system:authenticated']),
    warn: () => undefined,
    ...overrides,
  };
}
