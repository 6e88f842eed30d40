import type { Registry as MetricsRegistry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import type { Failpoints } from '../base/failpoint.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { ResourceRef } from '../api/resource-refs.js';
import type { KubeObject } from '../api/meta/object.js';
import type { Client } from '../client/index.js';
import type { Store } from '../storage/index.js';
import type { AdmissionConfiguration } from './admission/config/admission-configuration.js';
import type { AdmissionPlugin } from './admission/plugin.js';
import type { Authenticator, UserInfo } from './authn/authenticator.js';
import type { PasswordUser } from './authn/basic.js';
import type { RequestHeaderOptions } from './authn/request-header.js';
import type { AbacPolicy } from './authz/abac.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authz/authorizer.js';
import type { ApiCore } from './handler/api-core.js';
import type { CustomHandler } from './handler/subresource.js';
import type { HealthCheck } from './http/health.js';
import type { ClusterView } from './registry/cluster-view.js';
import type { RegistryHook } from './registry/hooks.js';

/** A certificate or key in PEM form. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Frozen, complete settings of the API server; the composition root fills in every default. */
export interface ApiServerOptions {
  /** Address to listen on. */
  readonly bindAddress: string;
  /** Further addresses with the same port: the one under which pods reach it. */
  readonly alsoBindAddresses?: readonly string[];
  /** 0: a free port. */
  readonly securePort: number;
  /** Address that clients and the `kubernetes` service use. */
  readonly advertiseAddress: string;
  readonly serving: KeyPair;
  /** PEM bundle; client certificates signed by it are identities (CN: user, O: groups). */
  readonly clientCa: string;
  /** PEM of the CA that signed the serving certificate. */
  readonly servingCa: string;
  readonly serviceAccountIssuer: string;
  /** PEM private key (RSA or EC) that signs service-account tokens. */
  readonly serviceAccountSigningKey: string;
  /** PEM public or private keys whose tokens are accepted; the signing key is always among them. */
  readonly serviceAccountKeys: readonly string[];
  readonly apiAudiences: readonly string[];
  /** Bearer tokens that are known from the start; default none. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>;
  /** Users that may log in with a password (Basic), by name; default none. */
  readonly passwordUsers?: ReadonlyMap<string, PasswordUser>;
  /** How a proxy in front says who makes a request; default: nobody is believed. */
  readonly requestHeader?: RequestHeaderOptions;
  /** `10.96.0.0/16`. */
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: { readonly from: number; readonly to: number };
  /** In order; default `['Node', 'RBAC']`. */
  readonly authorizationModes: readonly string[];
  /** Lines of the policy file of mode ABAC. */
  readonly abacPolicies?: readonly AbacPolicy[];
  readonly anonymousAuth: boolean;
  /** The only paths on which the anonymous user is let in; default: everywhere. */
  readonly anonymousPaths?: readonly string[];
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
  /** What the file of admission configuration says; default: nothing. */
  readonly admissionConfiguration?: AdmissionConfiguration;
  /** How long events live, in seconds; default 3600. */
  readonly eventTtlSeconds: number;
  /** Body limit in bytes; default 3 MiB. */
  readonly maxRequestBodyBytes: number;
  /** Requests other than long-running ones are ended after this; default 60000. */
  readonly requestTimeoutMilliseconds: number;
  /** Certificate and key with which the server calls node agents, and the CA it trusts there. */
  readonly kubeletClient: KeyPair & { readonly ca: string };
}

/** The outside world, given by the composition root. */
export interface ServerEnvironment {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly failpoints: Failpoints;
}

/** What the parts of the server share. */
export interface ServerContext extends ServerEnvironment {
  readonly options: ApiServerOptions;
  readonly view: ClusterView;
  /** In-process client with the identity `system:apiserver` in `system:masters`. */
  readonly loopback: Client;
  /** Asks the whole chain of authorizers (for access reviews, impersonation, escalation checks). */
  authorize(attributes: AuthorizationAttributes): Promise<Decision> | Decision;
  /** Asks the whole chain of authenticators (for TokenReview). */
  authenticateToken(token: string): Promise<UserInfo | undefined>;
  /** Store key of an object. */
  storeKey(ref: ResourceRef, namespace: string, name: string): string;
  /** What the handlers of all verbs share. Made after the parts are: handlers ask for it when a request comes. */
  core(): ApiCore;
  /** The port that the server listens on, once it does; absent: `options.securePort`. */
  listeningPort?(): number;
  /** Stored bytes of an object (hub version, without a resource version). */
  encodeForStore(ref: ResourceRef, object: KubeObject): Buffer;
}

/** Runs once after the server listens, in order; a failure is retried with back-off and keeps `/readyz` red. */
export interface PostStartHook {
  /** As `/readyz?verbose` shows it, e.g. `rbac/bootstrap-roles`. */
  readonly name: string;
  run(context: ServerContext, signal: AbortSignal): Promise<void>;
}

/** Everything that is plugged into the generic server. Made by `assembleParts` in `parts.ts`. */
export interface ServerParts {
  readonly authenticators: readonly Authenticator[];
  readonly authorizers: readonly Authorizer[];
  readonly admission: readonly AdmissionPlugin[];
  readonly handlers: readonly CustomHandler[];
  /** By `<group>/<resource>`, the core group as `/services`. */
  readonly hooks: ReadonlyMap<string, RegistryHook>;
  readonly postStart: readonly PostStartHook[];
  /** Beside those of the server itself and of the hooks. */
  readonly healthChecks: readonly HealthCheck[];
}
