import type { ImageAuth } from '../../runtime/index.js';

/** How one registry is reached. All fields are plain data, fit for YAML and JSON. */
export interface RegistryOptions {
  /** Asked before the registry itself, in this order: `https://mirror.example`, `http://10.0.0.1:5000`, with a path if need be; without a scheme https is meant. */
  readonly mirrors?: readonly string[];
  /** Takes any certificate, and plain HTTP where it speaks no TLS. Default false; registries on this machine's loopback may always speak plain HTTP. */
  readonly insecure?: boolean;
  /** PEM certificates of authorities that its certificate may be from, beside the system's. */
  readonly ca?: string;
  /** PEM client certificate and key. */
  readonly certificate?: string;
  readonly key?: string;
  /** Used when a pull brings none of its own. */
  readonly auth?: Partial<ImageAuth>;
}

/** Credentials as in `auths` of Docker's `config.json`, by registry: `{"registry.example": {"auth": "<base64 of user:password>"}}`. */
export type DockerAuths = Readonly<Record<string, {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
  readonly registrytoken?: string;
}>>;

/** Proxies, with the meaning of the environment variables of these names. */
export interface ProxyOptions {
  /** `HTTP_PROXY` */
  readonly http?: string;
  /** `HTTPS_PROXY` */
  readonly https?: string;
  /** `NO_PROXY` */
  readonly no?: string;
}

/** Everything about registries. */
export interface RegistriesOptions {
  /** By host, with port if there is one. `*` holds for those that are not listed. */
  readonly registries?: Readonly<Record<string, RegistryOptions>>;
  readonly auths?: DockerAuths;
  readonly proxy?: ProxyOptions;
}
