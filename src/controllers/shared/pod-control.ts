import type { V1ObjectMeta, V1OwnerReference, V1Pod, V1PodTemplateSpec } from '../../api/generated/types.js';
import type { KubeObject } from '../../api/meta/object.js';
import { PODS } from '../../api/resource-refs.js';
import { StatusError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import type { Client, ResourceClient } from '../../client/index.js';
import type { EventRecorder } from '../../reconcile/index.js';

/** Creates and deletes the pods of an owner, and says so in events on the owner. */
export class PodControl {
  readonly pods: ResourceClient<V1Pod>;

  constructor(
    client: Client,
    private readonly recorder: EventRecorder,
  ) {
    this.pods = client.resource(PODS);
  }

  /**
   * Creates a pod with a generated name from a template. A failure becomes a `FailedCreate` event (not when the namespace is going
   * away) and is thrown.
   */
  async createFromTemplate(owner: KubeObject, template: V1PodTemplateSpec | undefined, reference: V1OwnerReference, options: { readonly generateName?: string } = {}): Promise<V1Pod> {
    return this.create(owner, podFromTemplate(owner, template, reference, options.generateName));
  }

  /** The same for a pod that is complete already. */
  async create(owner: KubeObject, pod: V1Pod): Promise<V1Pod> {
    try {
      const created = await this.pods.create(pod);
      this.recorder.event(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata?.name ?? ''}`);
      return created;
    } catch (error) {
      if (!isNamespaceTerminating(error)) this.recorder.event(owner, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(error)}`);
      throw error;
    }
  }

  /** Deletes a pod. That it is gone already is thrown as `NotFound`, without an event. */
  async delete(owner: KubeObject, namespace: string, name: string): Promise<void> {
    try {
      await this.pods.delete(namespace, name);
    } catch (error) {
      if (StatusError.is(error, 'NotFound')) throw error;
      this.recorder.event(owner, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
      throw new Error(`unable to delete pods: ${errorMessage(error)}`, { cause: error });
    }
    this.recorder.event(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
  }
}

/** A pod as its template says, owned by `owner`, with a generated name. */
export function podFromTemplate(owner: KubeObject, template: V1PodTemplateSpec | undefined, reference: V1OwnerReference, generateName = podNamePrefix(owner.metadata?.name ?? '')): V1Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const metadata: V1ObjectMeta = {
    namespace: owner.metadata?.namespace ?? '',
    generateName,
    labels: labels ?? {},
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ownerReferences: [reference],
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, ...(template?.spec ? { spec: template.spec } : {}) };
}

/** The server refused because the namespace is being deleted; trying again is of no use. */
export function isNamespaceTerminating(error: unknown): boolean {
  return error instanceof StatusError && (error.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating');
}

/** The owner's name with a dash, as long as generated names stay valid with it. */
function podNamePrefix(name: string): string {
  return name.length < 253 ? `${name}-` : name;
}
