import { isDecodeError } from '../../../api/codec/decode-error.js';
import { toDraft, type Draft } from '../../../api/draft.js';
import { apiVersionOf, type KubeObject } from '../../../api/meta/object.js';
import { fromHub, toHub, type Scheme, type ServedResource } from '../../../api/scheme/scheme.js';
import { internalError } from '../../../api/status-error.js';
import type { BodyCodec } from '../../handler/body-codec.js';
import type { AdmissionAttributes } from '../plugin.js';
import type { Invocation } from './hook-source.js';

/** What conversions need of the server. */
export interface VersionEnvironment {
  readonly scheme: Scheme;
  readonly codec: BodyCodec;
}

/** The objects of a request in the versions that webhooks ask for. Requests work on hub versions. */
export class VersionedObjects {
  private readonly requested: ServedResource | undefined;

  constructor(
    private readonly environment: VersionEnvironment,
    private readonly a: AdmissionAttributes,
  ) {
    const { group, version, resource } = a.resource;
    this.requested = environment.scheme.resource(group, version, resource);
  }

  /** An object as it is written in the version of an invocation. Never changes its argument. */
  async written(object: KubeObject | undefined, invocation: Invocation): Promise<KubeObject | undefined> {
    if (!object) return undefined;
    const { kind, served } = invocation;
    const version = served && this.isOwn(served) ? await this.converted(object, served) : object;
    return this.environment.codec.writtenForm({ ...version, apiVersion: apiVersionOf(kind), kind: kind.kind }, kind);
  }

  /** Brings what a patch made of an object into the form of its kind, with the defaults of the version. Throws a 500 `StatusError` when it is no such object. */
  patched(object: KubeObject, { kind, served }: Invocation): Draft<KubeObject> {
    let draft: Draft<KubeObject>;
    try {
      draft = toDraft(this.environment.codec.readObject(object, kind));
    } catch (error) {
      throw isDecodeError(error) ? internalError(error.message) : error;
    }
    if (served && this.isOwn(served)) (served.conversion ?? served.definition).defaults?.(draft);
    return draft;
  }

  /** Puts an object of the version of an invocation in the place of the one that the request works on. */
  async replace(object: Draft<KubeObject>, { served }: Invocation): Promise<void> {
    const target = this.a.object as Record<string, unknown>;
    const hub = served && this.isOwn(served) ? await this.back(object, served) : object;
    for (const key of Object.keys(target)) delete target[key];
    Object.assign(target, hub);
  }

  /** Subresources with a kind of their own (scales, evictions, options of streams) are the same in all versions. */
  private isOwn(served: ServedResource): boolean {
    return served.kind.kind === this.a.kind.kind && (served.kind.group === this.a.kind.group || served !== this.requested);
  }

  private async converted(object: KubeObject, served: ServedResource): Promise<KubeObject> {
    const late = this.requested?.lateConversion;
    if (!late) return fromHub(served, object);
    return served === this.requested ? object : (await late.convert([object], served.apiVersion))[0]!;
  }

  private async back(object: Draft<KubeObject>, served: ServedResource): Promise<Draft<KubeObject>> {
    const late = this.requested?.lateConversion;
    const hub = late
      ? served === this.requested ? object : toDraft((await late.convert([object as KubeObject], this.requested.apiVersion))[0]!)
      : (toHub(served, object as KubeObject) as Draft<KubeObject>);
    (late ? this.requested : served).definition.defaults?.(hub);
    return hub;
  }
}
