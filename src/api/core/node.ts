import type { Draft } from '../draft.js';
import type { V1Node } from '../generated/types.js';
import { FieldPath } from '../meta/field-path.js';
import { cidrWarnings } from '../meta/validation/ip.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { validateNode, validateNodeUpdate } from './node-validation.js';
import { canonicalizeResourceList } from './validation/quantities.js';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';
const NODE_INFO = {
  machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '', containerRuntimeVersion: '',
  kubeletVersion: '', kubeProxyVersion: '', operatingSystem: '', architecture: '',
};

export const node = defineKind<V1Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  tracksGeneration: false,
  defaults,
  prepareForCreate: (draft) => {
    delete draft.spec?.configSource;
    delete draft.status?.config;
  },
  prepareForUpdate: (draft, old) => {
    restore(draft, old, 'status');
    if (old.spec?.configSource === undefined) delete draft.spec?.configSource;
  },
  validate: validateNode,
  validateUpdate: (object, old) => [...validateNode(object), ...validateNodeUpdate(object, old)],
  warnings: (object) => [
    ...(object.spec?.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(object.spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...(object.spec?.podCIDRs ?? []).flatMap((cidr, i) => cidrWarnings(cidr, FieldPath.of('spec', 'podCIDRs').index(i))),
  ],
  subresources: {
    status: {
      prepareForUpdate: (draft, old) => {
        restore(draft, old, 'spec');
        if (old.status?.config === undefined) delete draft.status?.config;
      },
      validateUpdate: validateNodeUpdate,
    },
  },
  selectableFields: { 'spec.unschedulable': (object) => String(object.spec?.unschedulable ?? false) },
  columns: [
    NAME,
    text('Status', statusText),
    text('Roles', (object) => roles(object).join(',') || '<none>'),
    AGE,
    text('Version', (object) => object.status?.nodeInfo?.kubeletVersion ?? ''),
    text('Internal-IP', (object) => address(object, 'InternalIP'), 1),
    text('External-IP', (object) => address(object, 'ExternalIP'), 1),
    text('OS-Image', (object) => object.status?.nodeInfo?.osImage || '<unknown>', 1),
    text('Kernel-Version', (object) => {
      const { kernelVersion, architecture } = object.status?.nodeInfo ?? NODE_INFO;
      return `${kernelVersion || '<unknown>'}${architecture ? ` (${architecture})` : ''}`;
    }, 1),
    text('Container-Runtime', (object) => object.status?.nodeInfo?.containerRuntimeVersion || '<unknown>', 1),
  ],
});

function defaults(draft: Draft<V1Node>): void {
  const spec = (draft.spec ??= {});
  // The older field wins where both are set and differ.
  if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (!spec.podCIDR && spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  const status = (draft.status ??= {});
  canonicalizeResourceList(status.capacity);
  canonicalizeResourceList(status.allocatable);
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  status.daemonEndpoints ??= {};
  status.daemonEndpoints.kubeletEndpoint ??= { Port: 0 };
  status.nodeInfo = { ...NODE_INFO, ...status.nodeInfo };
}

function statusText(object: V1Node): string {
  // The last condition of the type counts, as upstream's table has it.
  const ready = (object.status?.conditions ?? []).findLast((condition) => condition.type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return object.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

function roles(object: V1Node): string[] {
  const names = new Set<string>();
  for (const [key, value] of Object.entries(object.metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX)) {
      if (key.length > ROLE_PREFIX.length) names.add(key.slice(ROLE_PREFIX.length));
    } else if (key === ROLE_LABEL && value !== '') names.add(value);
  }
  return [...names].sort();
}

function address(object: V1Node, type: string): string {
  return (object.status?.addresses ?? []).find((candidate) => candidate.type === type)?.address ?? '<none>';
}
