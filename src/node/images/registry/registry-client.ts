import type { Clock } from '../../../base/clock.js';
import type { Random } from '../../../base/random.js';
import type { ImageAuth } from '../../runtime/index.js';
import { ImageError } from '../image-error.js';
import type { ImageLimits } from '../limits.js';
import type { ImageReference } from '../reference.js';
import { Authorizer } from './authorizer.js';
import { credentialsFor, optionsFor } from './credentials.js';
import { Endpoint } from './endpoint.js';
import { HttpClient } from './http.js';
import type { RegistriesOptions } from './options.js';
import { isLoopback } from './proxy.js';
import { Repository } from './repository.js';
import { Retry, type RetryOptions } from './retry.js';

/** What a client is made with. */
export interface RegistryClientOptions extends RegistriesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: ImageLimits;
  readonly retry: RetryOptions;
  /** Milliseconds after which a silent connection is given up. Default 30 000. */
  readonly idleMilliseconds?: number;
}

/** Docker Hub's images are not at the host that their names say. */
const HUB = 'https://registry-1.docker.io';

/** Gets images from registries that speak the OCI distribution specification. */
export class RegistryClient {
  private readonly http: HttpClient;

  constructor(private readonly options: RegistryClientOptions) {
    this.http = new HttpClient(options.proxy ?? {}, 'kube', options.idleMilliseconds);
  }

  /** `auth` counts for the registry itself; mirrors have their own. Throws when the registry's configuration is wrong. */
  repository(reference: ImageReference, auth: ImageAuth | undefined, signal: AbortSignal | undefined): Repository {
    const own = optionsFor(reference.domain, this.options);
    const mirrors = (own.mirrors ?? []).map((mirror, i) => this.mirror(mirror, `registries["${reference.domain}"].mirrors[${i}]`, reference));
    const local = isLoopback(hostname(reference.domain));
    const base = reference.domain === 'docker.io' ? new URL(HUB) : new URL(`${local && own.insecure !== true && !own.ca ? 'http' : 'https'}://${reference.domain}`);
    const origin = new Endpoint({ base, plainToo: own.insecure === true, options: own }, new Authorizer(this.http, this.options.clock, auth ?? credentialsFor(reference.domain, reference.path, this.options)));
    const { clock, random, retry, limits } = this.options;
    return new Repository(reference, [...mirrors, origin], new Retry(clock, random, retry), limits, signal);
  }

  close(): void {
    this.http.close();
  }

  private mirror(text: string, field: string, reference: ImageReference): Endpoint {
    const url = /^https?:\/\//.test(text) ? text : `https://${text}`;
    if (!URL.canParse(url)) throw new ImageError('KUBE_IMAGE_PULL', `${field}: "${text}" is no URL of a registry`);
    const base = new URL(url);
    const options = optionsFor(base.host, this.options);
    return new Endpoint({ base: new URL(base.origin + base.pathname.replace(/\/(?:v2\/?)?$/, '')), plainToo: options.insecure === true, options, mirrorOf: reference.domain }, new Authorizer(this.http, this.options.clock, credentialsFor(base.host, reference.path, this.options)));
  }
}

function hostname(domain: string): string {
  return domain.replace(/:\d+$/, '');
}
