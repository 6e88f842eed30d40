import type { V1Service } from '../../api/generated/types.js';
import type { Lister } from '../../client/index.js';

type Variables = readonly (readonly [string, string])[];

/** Variables that announce services to containers (`FOO_SERVICE_HOST`, `FOO_PORT_80_TCP_ADDR`, …). */
export class ServiceEnvironment {
  private readonly cache = new Map<string, Variables>();

  constructor(private readonly services: Lister<V1Service>) {}

  /** To be called on every change of a service. */
  invalidate(namespace: string): void {
    this.cache.delete(namespace);
    if (namespace === 'default') this.cache.clear();
  }

  /** The API server's service always; those of the namespace when `links` is true. */
  variables(namespace: string, links: boolean): Variables {
    const key = links ? namespace : '';
    let known = this.cache.get(key);
    if (!known) {
      const chosen = new Map<string, V1Service>();
      const master = this.services.get('default', 'kubernetes');
      if (master) chosen.set('kubernetes', master);
      if (links) for (const service of this.services.list(namespace)) chosen.set(service.metadata?.name ?? '', service);
      known = [...chosen.values()].sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)).flatMap(serviceVariables);
      this.cache.set(key, known);
    }
    return known;
  }
}

function serviceVariables(service: V1Service): (readonly [string, string])[] {
  const ip = service.spec?.clusterIP ?? '';
  const ports = service.spec?.ports ?? [];
  if (ip === '' || ip === 'None' || ports.length === 0) return [];
  const name = (service.metadata?.name ?? '').toUpperCase().replaceAll('-', '_');
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const result: (readonly [string, string])[] = [[`${name}_SERVICE_HOST`, ip], [`${name}_SERVICE_PORT`, String(ports[0]!.port)]];
  for (const port of ports) {
    if (port.name) result.push([`${name}_SERVICE_PORT_${port.name.toUpperCase().replaceAll('-', '_')}`, String(port.port)]);
  }
  ports.forEach((port, index) => {
    const protocol = port.protocol ?? 'TCP';
    const url = `${protocol.toLowerCase()}://${host}:${port.port}`;
    const prefix = `${name}_PORT_${port.port}_${protocol}`;
    if (index === 0) result.push([`${name}_PORT`, url]);
    result.push([prefix, url], [`${prefix}_PROTO`, protocol.toLowerCase()], [`${prefix}_PORT`, String(port.port)], [`${prefix}_ADDR`, ip]);
  });
  return result;
}
