import { errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { V1CustomResourceDefinition } from '../../api/generated/types.js';
import { isConditionTrue } from '../../api/helpers/conditions.js';
import { deepEqual } from '../../api/helpers/deep-equal.js';
import type { ResourceFacts } from '../../api/scheme/resource-facts.js';
import type { Scheme, ServedResource } from '../../api/scheme/scheme.js';
import { compareVersions } from '../../api/scheme/version-order.js';
import type { Cacher } from '../registry/cacher.js';
import { terminatingFacts } from './custom-facts.js';
import { customResource, type CustomResource, type CustomResourceEnvironment } from './custom-resource.js';

type Definition = V1CustomResourceDefinition;

interface Installed extends CustomResource {
  readonly definition: Definition;
}

/** What must know of the resources that come and go. */
export interface CustomResourcesListener {
  /** All custom resources in the order in which discovery shows them. */
  changed(facts: readonly ResourceFacts[]): void;
  /** The versions of a definition are served from now on; undefined `definition`: not any more. Not told for changes of the status alone. */
  installed(name: string, definition: Definition | undefined): void;
}

/** Keeps what is served in step with the definitions. */
export class CustomResources {
  private readonly installed = new Map<string, Installed>();
  private telling = false;

  constructor(
    private readonly scheme: Scheme,
    private readonly cacher: Cacher,
    private readonly environment: CustomResourceEnvironment,
    private readonly log: Logger,
    private readonly listener: CustomResourcesListener,
  ) {}

  /** While the server starts: all definitions at once. */
  load(definitions: readonly Definition[]): void {
    for (const definition of definitions) {
      if (!isServed(definition)) continue;
      const resource = customResource(definition, this.environment);
      this.cacher.openAtStart(resource.hub);
      this.install(definition, resource);
    }
  }

  /** Sees to it that objects can be read once the definition is established. Its names need not be accepted yet. */
  async prepare(definition: Definition): Promise<void> {
    const { spec } = definition;
    const named = { ...definition, status: { ...definition.status, acceptedNames: definition.status?.acceptedNames?.plural ? definition.status.acceptedNames : spec.names } };
    await this.cacher.open(customResource(named, this.environment).hub);
  }

  /** The storage version of a definition that can be used. */
  storageVersion(name: string): ServedResource | undefined {
    return this.installed.get(name)?.hub;
  }

  /** The namespaces in which a definition has objects; the empty one for cluster-scoped objects. */
  namespacesOf(name: string): string[] {
    const hub = this.installed.get(name)?.hub;
    const cache = hub && this.cacher.cache(hub);
    const namespaces = new Set<string>();
    cache?.tree.visit(undefined, undefined, (entry) => void namespaces.add(entry.namespace));
    return [...namespaces];
  }

  /** After a change of a definition; undefined: it is gone. */
  sync(name: string, definition: Definition | undefined): void {
    const known = this.installed.get(name);
    if (known && known.definition.metadata?.uid !== definition?.metadata?.uid) this.remove(name, known);
    if (!definition || !isServed(definition)) {
      if (this.installed.has(name)) this.remove(name, this.installed.get(name)!);
      return;
    }
    const present = this.installed.get(name);
    if (!present) {
      const resource = customResource(definition, this.environment);
      if (this.cacher.cache(resource.hub)) this.install(definition, resource);
      else void this.openLater(name, definition);
    } else if (!sameResource(present.definition, definition)) {
      for (const served of present.served) this.scheme.remove(served);
      const resource = customResource(definition, this.environment);
      this.cacher.renew(resource.hub);
      this.install(definition, resource);
    } else {
      // Only its status: whether it is going away.
      this.installed.set(name, { ...present, definition });
      if (isTerminating(present.definition) === isTerminating(definition)) return;
      for (const served of present.served) served.terminating = isTerminating(definition);
      this.tell();
    }
  }

  private async openLater(name: string, definition: Definition): Promise<void> {
    try {
      await this.prepare(definition);
      if (!this.installed.has(name)) this.install(definition, customResource(definition, this.environment));
    } catch (error) {
      this.log.error('a custom resource cannot be read from the store', { definition: name, error: errorMessage(error) });
    }
  }

  private install(definition: Definition, resource: CustomResource): void {
    const name = definition.metadata!.name!;
    for (const served of resource.served) {
      served.terminating = isTerminating(definition);
      this.scheme.add(served);
    }
    this.installed.set(name, { ...resource, definition });
    this.listener.installed(name, definition);
    this.tell();
  }

  private remove(name: string, known: Installed): void {
    for (const served of known.served) this.scheme.remove(served);
    this.cacher.close(known.hub);
    this.installed.delete(name);
    this.listener.installed(name, undefined);
    this.tell();
  }

  /** Once for all that happens in a turn of the event loop. */
  private tell(): void {
    if (this.telling) return;
    this.telling = true;
    queueMicrotask(() => {
      this.telling = false;
      const facts = [...this.installed.values()].flatMap(({ definition, served }) => served.map((resource) => (isTerminating(definition) ? terminatingFacts(resource.facts) : resource.facts)));
      facts.sort((a, b) => order(a.group, b.group) || compareVersions(b.version, a.version) || order(a.resource, b.resource));
      this.listener.changed(facts);
    });
  }
}

function isServed({ status }: Definition): boolean {
  return isConditionTrue(status?.conditions, 'Established') && status?.acceptedNames?.plural !== undefined && status.acceptedNames.plural !== '';
}

function isTerminating({ status }: Definition): boolean {
  return isConditionTrue(status?.conditions, 'Terminating');
}

function sameResource(a: Definition, b: Definition): boolean {
  // It grows with every change of the spec, and with the beginning of the end.
  if (a.metadata?.generation !== b.metadata?.generation && !deepEqual(a.spec, b.spec)) return false;
  return deepEqual(a.status?.acceptedNames, b.status?.acceptedNames);
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
