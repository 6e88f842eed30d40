import type { Component } from '../base/component.js';
import type { Transport } from '../client/index.js';
import { createClient } from '../client/index.js';
import { BuiltInTypes } from '../api/apply/built-in-types.js';
import { Codec } from '../api/codec/codec.js';
import { RESOURCES } from '../api/facts/resources.js';
import { KINDS } from '../api/kinds.js';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../api/resource-refs.js';
import { Scheme, type ServedResource } from '../api/scheme/scheme.js';
import { serviceUnavailableError, StatusError } from '../api/status-error.js';
import type { UserInfo } from './authn/authenticator.js';
import { identityHeaders, namingHeaders } from './authn/request-header.js';
import type { AuthorizationAttributes, Decision } from './authz/authorizer.js';
import { UnionAuthorizer } from './authz/union.js';
import { Compactor } from './compactor.js';
import { ConversionMetrics } from './crd/conversion/conversion-metrics.js';
import type { ConversionEnvironment } from './crd/conversion/webhook-conversion.js';
import { CustomResources } from './crd/custom-resources.js';
import { DefinitionController } from './crd/definition-controller.js';
import { GroupServices } from './crd/group-services.js';
import { removeObjects } from './crd/remove-objects.js';
import { Discovery } from './discovery/discovery.js';
import { addDocumentRoutes } from './discovery/document-routes.js';
import { AcceptNegotiator } from './handler/accept.js';
import { AdmissionChain } from './handler/admission-chain.js';
import type { ApiCore } from './handler/api-core.js';
import { Dispatcher } from './handler/dispatch.js';
import { FieldManagers } from './handler/field-managers.js';
import { InProcessTransport, TurnKeeper } from './handler/in-process-transport.js';
import { Pipeline } from './handler/pipeline.js';
import { statusBody } from './handler/respond.js';
import { SchemaBodyCodec } from './handler/schema-body-codec.js';
import { RequestAuthenticator } from './http/connection-identity.js';
import { addLastChecks, addServerChecks } from './health-checks.js';
import { Health, type FailingCheck } from './http/health.js';
import { createKoaApp } from './http/koa-app.js';
import { Listener } from './http/listener.js';
import { NonResourceRoutes } from './http/nonresource-routes.js';
import { RequestHandler } from './http/request-handler.js';
import { RequestMetrics } from './http/request-metrics.js';
import { addServerRoutes } from './http/server-routes.js';
import { addStorageMetrics } from './http/storage-metrics.js';
import { serveUpgrade } from './http/upgrades.js';
import { OpenApi } from './openapi/openapi.js';
import { PostStart } from './post-start.js';
import { Cacher } from './registry/cacher.js';
import { CacheClusterView } from './registry/cluster-view-cache.js';
import { ConvertedEntries } from './registry/converted-entries.js';
import { ObjectRegistry } from './registry/object-registry.js';
import { objectKey } from './registry/resource-key.js';
import { Views } from './registry/views.js';
import { Yaml } from './yaml/yaml.js';
import { createWebhookCaller } from './webhook/create-webhook-caller.js';
import type { ApiServerOptions, ServerContext, ServerEnvironment, ServerParts } from './server-context.js';

/** Watches last between this and twice as long when their clients say nothing. */
const MIN_REQUEST_TIMEOUT_MILLISECONDS = 1_800_000;
const SERVER_USER: UserInfo = { name: 'system:apiserver', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };

/** A Kubernetes API server. */
export interface ApiServer extends Component {
  /** Where it listens, once {@link Component.start} has resolved. */
  readonly address: { readonly host: string; readonly port: number };
  /** Resolves when the bootstrap is complete and `/readyz` is green. */
  readonly ready: Promise<void>;
  /** The checks of `/readyz` that fail now, with the reasons; also before it listens. */
  failingChecks(): Promise<readonly FailingCheck[]>;
  /** A way to the server without network, as `user`; requests fail with 503 while the server is not there. */
  transport(user: UserInfo, userAgent: string): Transport;
}

/** What runs once the server has been put together. */
interface Running {
  readonly pipeline: Pipeline;
  readonly listener: Listener;
  readonly postStart: PostStart;
}

/** @see createApiServer */
export class KubeApiServer implements ApiServer {
  readonly name = 'api-server';
  readonly ready: Promise<void>;

  private readonly scheme = new Scheme(KINDS, RESOURCES);
  private readonly cacher: Cacher;
  private readonly turns: TurnKeeper;
  private readonly codec = new Codec();
  private readonly yaml: Yaml;
  private readonly discovery: Discovery;
  private readonly openApi = new OpenApi();
  private readonly customResources: CustomResources;
  private definitions: DefinitionController | undefined;
  private groupServices: GroupServices | undefined;
  private knownConversion: ConversionEnvironment | undefined;
  private readonly health = new Health();
  private readonly progress = { cachesLoaded: false, admissionReady: false, definitionsFollowed: false, stopping: false };
  private readonly compactor: Compactor;
  private readonly stopping = new AbortController();
  private authorizer: UnionAuthorizer | undefined;
  private parts: ServerParts | undefined;
  private apiCore: ApiCore | undefined;
  private running: Running | undefined;
  private bootstrap: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private resolveReady: () => void = () => undefined;

  constructor(
    private readonly options: ApiServerOptions,
    private readonly environment: ServerEnvironment,
    private readonly assemble: (context: ServerContext) => ServerParts,
  ) {
    const { store, clock, log } = environment;
    addServerChecks(this.health, store, clock, this.progress);
    this.yaml = new Yaml(clock);
    this.cacher = new Cacher(this.scheme, store, clock, log);
    this.discovery = new Discovery({ serverAddress: () => `${this.options.advertiseAddress}:${this.address.port}`, encoder: new SchemaBodyCodec(this.scheme, this.codec) });
    const builtIn = [...this.scheme.resources].map(({ facts }) => facts);
    this.discovery.setResources(builtIn);
    const types = new BuiltInTypes();
    this.customResources = new CustomResources(this.scheme, this.cacher, { objectMeta: () => types.struct(this.codec.schemas.objectMeta), conversion: () => this.conversion() }, log, {
      changed: (facts) => this.discovery.setResources([...builtIn, ...facts]),
      installed: (name, definition) => this.openApi.publish(name, definition),
    });
    this.turns = new TurnKeeper(clock);
    this.compactor = new Compactor(store, clock, log, (before) => this.cacher.forget(before));
    this.ready = new Promise((resolve) => {
      this.resolveReady = resolve;
    });
  }

  private conversion(): ConversionEnvironment {
    const { clock, random, metrics } = this.environment;
    return (this.knownConversion ??= { caller: createWebhookCaller({ view: new CacheClusterView(this.cacher), clock, random }), clock, random, metrics: new ConversionMetrics(metrics) });
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.running?.listener.address ?? { host: this.options.bindAddress, port: this.options.securePort };
  }

  failingChecks(): Promise<readonly FailingCheck[]> {
    return this.health.failing('readyz');
  }

  transport(user: UserInfo, userAgent: string): Transport {
    return new InProcessTransport(() => this.pipeline(), this.turns, user, userAgent);
  }

  async start(signal: AbortSignal): Promise<void> {
    const view = new CacheClusterView(this.cacher);
    await this.cacher.start(() => this.customResources.load(view.list(CUSTOM_RESOURCE_DEFINITIONS)));
    if (signal.aborted || this.stopping.signal.aborted) return;
    this.progress.cachesLoaded = true;
    const context = this.context();
    this.parts = this.assemble(context);
    this.authorizer = new UnionAuthorizer(this.parts.authorizers);
    this.running = await this.assembleRunning(this.parts);
    this.compactor.start();
    this.definitions = new DefinitionController({ view: context.view, client: context.loopback, resources: this.customResources, removeObjects: (hub) => removeObjects(context.core(), hub, SERVER_USER), clock: context.clock, log: context.log });
    this.definitions.start();
    this.progress.definitionsFollowed = true;
    this.groupServices = new GroupServices({ view: context.view, client: context.loopback, clock: context.clock, log: context.log });
    this.groupServices.start();
    // The hooks use the loopback client, which needs all of the above.
    this.bootstrap = this.running.postStart.run(context, this.stopping.signal, () => this.resolveReady());
  }

  stop(deadlineMilliseconds: number): Promise<void> {
    return (this.stopped ??= this.stopOnce(deadlineMilliseconds));
  }

  private async stopOnce(deadlineMilliseconds: number): Promise<void> {
    this.stopping.abort();
    this.progress.stopping = true;
    this.compactor.stop();
    this.definitions?.stop();
    this.groupServices?.stop();
    this.cacher.stop();
    this.apiCore?.views.stop();
    const { running } = this;
    await running?.listener.stop(deadlineMilliseconds);
    await this.yaml.close();
    await this.bootstrap;
    this.running = undefined;
  }

  private pipeline(): Pipeline {
    const { running } = this;
    if (!running || this.stopping.signal.aborted) throw serviceUnavailableError('the API server is not running');
    return running.pipeline;
  }

  private async assembleRunning(parts: ServerParts): Promise<Running> {
    const { environment, options } = this;
    const { clock, log, metrics } = environment;
    const core = (this.apiCore = this.core(parts));
    this.progress.admissionReady = true;
    const routes = new NonResourceRoutes(core, this.health);
    this.health.metrics.startedAt(clock.now());
    addServerRoutes(routes, core, { server: metrics, health: this.health.metrics.registry }, options, () => this.address.port);
    addDocumentRoutes(routes, this.discovery, this.openApi);
    addStorageMetrics(metrics, this.cacher);
    const pipeline = new Pipeline(core, new Dispatcher(core, parts.handlers), routes);
    const handler = new RequestHandler({
      pipeline,
      authenticator: new RequestAuthenticator(parts.authenticators, clock, identityHeaders(options.requestHeader)),
      identityHeaders: namingHeaders(options.requestHeader),
      metrics: new RequestMetrics(metrics),
      clock,
      log,
      maxRequestBodyBytes: options.maxRequestBodyBytes,
      requestTimeoutMilliseconds: options.requestTimeoutMilliseconds,
      authorize: (attributes) => this.authorize(attributes),
      statusBody: (status, wanted) => statusBody(core, status, wanted),
      readYaml: (bytes) => this.yaml.readAhead(bytes),
    });
    const callback = createKoaApp(handler).callback();
    const listener = new Listener(
      { host: options.bindAddress, alsoHosts: options.alsoBindAddresses ?? [], port: options.securePort, certificate: options.serving.certificate, key: options.serving.key, clientCa: options.clientCa + (options.requestHeader?.clientCa ?? '') },
      {
        // Koa's types know HTTP/1 only; its code serves both.
        onRequest: (request, response) => void callback(request as Parameters<typeof callback>[0], response as Parameters<typeof callback>[1]),
        onUpgrade: (request, socket, head) => void serveUpgrade(handler, log, clock, request, socket, head),
      },
      clock,
    );
    const postStart = new PostStart(parts.postStart, clock, log, this.health);
    addLastChecks(this.health, parts.healthChecks, this.progress);
    await listener.start();
    log.info('the API server listens', { host: listener.address.host, port: listener.address.port });
    return { pipeline, listener, postStart };
  }

  private core(parts: ServerParts): ApiCore {
    const { store, clock, random, log } = this.environment;
    const { codec } = this;
    const registries = new WeakMap<ServedResource, ObjectRegistry>();
    const views = new Views(clock, codec, (resource) => this.cacher.cache(resource));
    // What nodes and controllers of other makes list first, in protobuf.
    const pods = this.scheme.resource('', 'v1', 'pods');
    if (pods) views.encodeAhead(pods);
    return {
      scheme: this.scheme,
      cacher: this.cacher,
      views,
      negotiator: new AcceptNegotiator(),
      codec: new SchemaBodyCodec(this.scheme, codec),
      yaml: this.yaml,
      admission: new AdmissionChain(parts.admission),
      fieldManagers: new FieldManagers(this.scheme, codec, clock),
      clock,
      random,
      log,
      minRequestTimeoutMilliseconds: MIN_REQUEST_TIMEOUT_MILLISECONDS,
      authorize: (attributes) => this.authorize(attributes),
      registry: (resource: ServedResource) => {
        let registry = registries.get(resource);
        if (!registry) {
          const hub = this.scheme.hubOf(resource);
          const cache = this.cacher.cache(hub);
          if (!cache) throw new TypeError(`${hub.facts.resource} is not stored`);
          const type = codec.schemas.kind(hub.hub);
          const late = resource.lateConversion;
          registry = new ObjectRegistry(
            late ? resource : hub,
            resource.groupResource,
            cache,
            { store, cacher: this.cacher, clock, random, eventTtlSeconds: this.options.eventTtlSeconds, finish: (object) => (type ? codec.forStorage(object, type) : object) },
            parts.hooks.get(`${hub.storage.group}/${hub.storage.resource}`),
            late && new ConvertedEntries(resource, hub, late, clock),
          );
          registries.set(resource, registry);
        }
        return registry;
      },
    };
  }

  private context(): ServerContext {
    const { environment } = this;
    return {
      store: environment.store,
      clock: environment.clock,
      random: environment.random,
      log: environment.log,
      metrics: environment.metrics,
      failpoints: environment.failpoints,
      options: this.options,
      view: new CacheClusterView(this.cacher),
      loopback: createClient(this.transport(SERVER_USER, 'kube-apiserver')),
      authorize: (attributes) => this.authorize(attributes),
      authenticateToken: (token) => this.authenticateToken(token),
      storeKey: (ref, namespace, name) => this.cacher.cacheOf(ref).prefix + objectKey(ref.namespaced ? namespace : '', name),
      core: () => {
        if (!this.apiCore) throw serviceUnavailableError('the API server is not running');
        return this.apiCore;
      },
      listeningPort: () => this.address.port,
      encodeForStore: (ref, object) => this.cacher.cacheOf(ref).form.encode(object),
    };
  }

  private authorize(attributes: AuthorizationAttributes): Promise<Decision> | Decision {
    if (!this.authorizer) throw serviceUnavailableError('the API server is not running');
    return this.authorizer.authorize(attributes);
  }

  private async authenticateToken(token: string): Promise<UserInfo | undefined> {
    for (const authenticator of this.parts?.authenticators ?? []) {
      try {
        const user = await authenticator.authenticate({ headers: { authorization: `Bearer ${token}` } });
        if (user) return user;
      } catch (error) {
        if (!StatusError.is(error, 'Unauthorized')) throw error;
      }
    }
    return undefined;
  }
}
