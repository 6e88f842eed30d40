import { Gauge, type Registry } from 'prom-client';
import type { Cacher } from '../registry/cacher.js';

/** The numbers of stored objects and of watchers, under upstream's names. */
export function addStorageMetrics(registry: Registry, cacher: Cacher): void {
  new Gauge({
    name: 'apiserver_resource_objects',
    help: 'Number of stored objects at the time of last check split by kind.',
    labelNames: ['group', 'resource'],
    registers: [registry],
    collect() {
      for (const { resource, tree } of cacher.caches) this.set({ ...resource.storage }, tree.size);
    },
  });
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Number of stored objects at the time of last check split by kind.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      for (const { resource, tree } of cacher.caches) this.set({ resource: resource.storage.group === '' ? resource.storage.resource : `${resource.storage.resource}.${resource.storage.group}` }, tree.size);
    },
  });
  new Gauge({
    name: 'apiserver_registered_watchers',
    help: 'Number of currently registered watchers for a given resource.',
    labelNames: ['group', 'version', 'kind'],
    registers: [registry],
    collect() {
      for (const { resource, watcherCount } of cacher.caches) this.set({ group: resource.hub.group, version: resource.hub.version, kind: resource.hub.kind }, watcherCount);
    },
  });
}
