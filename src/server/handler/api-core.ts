import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/log.js';
import type { Random } from '../../base/random.js';
import type { Scheme, ServedResource } from '../../api/scheme/scheme.js';
import type { AuthorizationAttributes, Decision } from '../authz/authorizer.js';
import type { Cacher } from '../registry/cacher.js';
import type { ObjectRegistry } from '../registry/object-registry.js';
import type { ResourceCache } from '../registry/resource-cache.js';
import type { Yaml } from '../yaml/yaml.js';
import type { Views } from '../registry/views.js';
import type { AcceptNegotiator } from './accept.js';
import type { AdmissionChain } from './admission-chain.js';
import type { BodyCodec } from './body-codec.js';
import type { FieldManagers } from './field-managers.js';

/** What the handlers of all verbs share. */
export interface ApiCore {
  readonly scheme: Scheme;
  readonly cacher: Cacher;
  readonly views: Views;
  readonly negotiator: AcceptNegotiator;
  readonly codec: BodyCodec;
  readonly yaml: Pick<Yaml, 'write'>;
  readonly admission: AdmissionChain;
  readonly fieldManagers: FieldManagers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Watches without a timeout of their own end between this and twice as much. */
  readonly minRequestTimeoutMilliseconds: number;
  /** The registry of a resource under the name of a served version; all of them write the same objects. */
  registry(resource: ServedResource): ObjectRegistry;
  authorize(attributes: AuthorizationAttributes): Promise<Decision> | Decision;
}

/** A request for one resource, resolved. */
export interface Target {
  readonly resource: ServedResource;
  readonly registry: ObjectRegistry;
  readonly cache: ResourceCache;
}
