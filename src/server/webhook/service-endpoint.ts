import type { V1EndpointSlice } from '../../api/generated/types.js';
import { ENDPOINT_SLICES, SERVICES } from '../../api/resource-refs.js';
import type { Random } from '../../base/random.js';
import type { ClusterView, ViewIndexer } from '../registry/cluster-view.js';
import { WebhookCallError } from './webhook-caller.js';

/** Where to connect. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const BY_SERVICE: ViewIndexer<V1EndpointSlice> = {
  name: 'service',
  values: ({ metadata }) => {
    const service = metadata?.labels?.['kubernetes.io/service-name'];
    return service === undefined ? [] : [`${metadata?.namespace ?? ''}/${service}`];
  },
};

/**
 * A ready endpoint behind a port of a service; the external name where the service is only that. Slices of the service's first address family
 * come first, the endpoint is drawn at random. Throws a {@link WebhookCallError} in upstream's words when there is none.
 */
export function serviceEndpoint(view: ClusterView, random: Random, namespace: string, name: string, port: number): Endpoint {
  const service = view.get(SERVICES, namespace, name);
  if (!service) throw new WebhookCallError(`service ${JSON.stringify(name)} not found`, 404);
  const { type = 'ClusterIP', ports = [], ipFamilies = [], externalName = '' } = service.spec ?? {};
  if (type === 'ExternalName') return { host: externalName, port };
  const servicePort = ports.find((candidate) => candidate.port === port);
  if (!servicePort) throw new WebhookCallError(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const slices = view.byIndex(ENDPOINT_SLICES, BY_SERVICE, `${namespace}/${name}`);
  const preferred = slices.filter((slice) => slice.addressType === ipFamilies[0]);
  for (const group of [preferred, slices.filter((slice) => !preferred.includes(slice))]) {
    const ready = group.flatMap((slice) => readyEndpoints(slice, servicePort.name ?? ''));
    const chosen = ready[Math.floor(random.float() * ready.length)];
    if (chosen) return chosen;
  }
  throw new WebhookCallError(`no endpoints available for service ${JSON.stringify(name)}`);
}

function readyEndpoints(slice: V1EndpointSlice, portName: string): Endpoint[] {
  const port = slice.ports?.find((candidate) => (candidate.name ?? '') === portName)?.port;
  if (port === undefined || port === null) return [];
  return (slice.endpoints ?? []).flatMap(({ addresses, conditions }) => (conditions?.ready === false || addresses[0] === undefined ? [] : [{ host: addresses[0], port }]));
}
