import type { V1ScopedResourceSelectorRequirement } from '../../../api/generated/types.js';
import { required } from '../../../api/meta/field-error.js';
import type { ConfigReader } from './reader.js';

/** Something that may be used only where a quota covers it. */
export interface LimitedResource {
  /** Empty: the core group. */
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of the names of what objects use. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly V1ScopedResourceSelectorRequirement[];
}

const V1 = 'apiserver.config.k8s.io/v1';
const OLD_GROUP = ['resourcequota.admission.k8s.io/v1beta1', 'resourcequota.admission.k8s.io/v1alpha1'];

/** Reads `ResourceQuotaConfiguration`, or `Configuration` of the older group. */
export function readResourceQuota(reader: ConfigReader): LimitedResource[] {
  const isOld = OLD_GROUP.includes(reader.string('apiVersion') ?? '');
  if (isOld) reader.requireType('Configuration', OLD_GROUP);
  else reader.requireType('ResourceQuotaConfiguration', [V1, ...OLD_GROUP]);
  const limited = reader.objects('limitedResources').map(readLimited);
  reader.refuseOthers();
  return limited;
}

function readLimited(reader: ConfigReader): LimitedResource {
  const resource = reader.string('resource') ?? '';
  if (resource === '') reader.errors.push(required(reader.at('resource')));
  const limited = { apiGroup: reader.string('apiGroup') ?? '', resource, matchContains: reader.strings('matchContains'), matchScopes: reader.objects('matchScopes').map(readScope) };
  reader.refuseOthers();
  return limited;
}

function readScope(reader: ConfigReader): V1ScopedResourceSelectorRequirement {
  const values = reader.strings('values');
  const scope = { scopeName: reader.string('scopeName') ?? '', operator: reader.string('operator') ?? '', ...(values.length > 0 ? { values } : {}) };
  reader.refuseOthers();
  return scope;
}
