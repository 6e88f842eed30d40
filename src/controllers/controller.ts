import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/log.js';
import type { Random } from '../base/random.js';
import type { Client, InformerFactory } from '../client/index.js';
import type { EventRecorder, QueueMetrics } from '../reconcile/index.js';

/** What every controller gets. All of them share the informers. */
export interface ControllerContext {
  /** Acts as `system:serviceaccount:kube-system:<controller's account>`. */
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Where queues report; absent: nowhere. */
  readonly metrics?: QueueMetrics;
  readonly options: ControllerOptions;
}

/** Settings that several controllers read; frozen. */
export interface ControllerOptions {
  readonly clusterName: string;
  readonly serviceClusterIpRange: string;
  readonly clusterCidr: string;
  readonly nodeCidrMaskSize: number;
  readonly allocateNodeCidrs: boolean;
  /** PEM of the CA that API clients trust; published as `kube-root-ca.crt`. */
  readonly rootCa: string;
  /** PEM of the certificate and key that sign certificate requests; absent: the signers are off. */
  readonly clusterSigningCertificate?: string;
  readonly clusterSigningKey?: string;
  /** PEM of the key that signs tokens in secrets, which never expire; absent: they are requested from the server, and last ten years. */
  readonly serviceAccountKey?: string;
  /** Seconds; default 40: a node without a lease renewal for that long is not ready. */
  readonly nodeMonitorGracePeriodSeconds: number;
  /** Finished pods kept by pod GC; default 12500, 0 or less: off. */
  readonly terminatedPodGcThreshold: number;
  /** Folder on every node below which the local-path provisioner puts volumes; absent: it is off. Absolute. */
  readonly localPathFolder?: string;
  /** Nodes that run on the machine (and in the mount namespace) of the controllers: there the provisioner makes and deletes folders itself. */
  readonly localPathNodes?: readonly string[];
}

/** A running controller. */
export interface Controller {
  /** Rejects when the controller cannot go on by itself; it is then stopped and started anew. Absent: that never happens. */
  readonly failed?: Promise<never>;
  /** Ends the loops; idempotent. */
  stop(): Promise<void>;
}

/** One line of the table in `descriptors.ts`. */
export interface ControllerDescriptor {
  /** Upstream's name, e.g. `deployment-controller`; unique. */
  readonly name: string;
  /** Name of the service account it acts as, e.g. `deployment-controller`; empty: the manager's own identity. */
  readonly serviceAccount: string;
  readonly enabledByDefault: boolean;
  /**
   * Asks for informers and adds handlers (synchronously, before its first await), then starts its workers.
   * Workers must wait for the informers to be synced.
   */
  readonly start: (context: ControllerContext) => Promise<Controller> | Controller;
}
