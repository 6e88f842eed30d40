import type { V1Ingress } from '../generated/types.js';
import { entryPointsText } from '../core/validation/load-balancer-status.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { restore } from '../scheme/restore.js';
import { CLASS_ANNOTATION, validateIngressCreate, validateIngressStatusUpdate, validateIngressUpdate } from './ingress-validation.js';

const SHOWN_HOSTS = 3;

export const ingress = defineKind<V1Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  defaults: (draft) => {
    const spec = (draft.spec ??= {});
    for (const rule of spec.rules ?? []) for (const path of rule.http?.paths ?? []) if (path.backend?.service !== undefined) path.backend.service.port ??= {};
    if (spec.defaultBackend?.service !== undefined) spec.defaultBackend.service.port ??= {};
    draft.status ??= {};
    draft.status.loadBalancer ??= {};
  },
  prepareForCreate: (draft) => {
    draft.status = { loadBalancer: {} };
  },
  prepareForUpdate: (draft, old) => restore(draft, old, 'status'),
  validate: validateIngressCreate,
  validateUpdate: validateIngressUpdate,
  warnings: (object, old) =>
    old === undefined && object.metadata?.annotations?.[CLASS_ANNOTATION] !== undefined && object.spec?.ingressClassName === undefined
      ? [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  subresources: {
    status: { prepareForUpdate: (draft, old) => restore(draft, old, 'spec'), validateUpdate: validateIngressStatusUpdate },
  },
  columns: [
    NAME,
    text('Class', (object) => object.spec?.ingressClassName ?? '<none>'),
    text('Hosts', hostsText),
    text('Address', (object) => entryPointsText(object.status?.loadBalancer?.ingress)),
    text('Ports', (object) => ((object.spec?.tls?.length ?? 0) > 0 ? '80, 443' : '80')),
    AGE,
  ],
});

/** The first hosts; once the list is full, every further rule counts as one more. */
function hostsText(object: V1Ingress): string {
  const rules = object.spec?.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === SHOWN_HOSTS) more = true;
    else if (host) hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - SHOWN_HOSTS} more...` : hosts.join(',');
}
