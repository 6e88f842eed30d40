import type { V1Pod, V1PodStatus } from '../../api/generated/types.js';
import { computeQosClass } from '../../api/helpers/pod-qos.js';
import { timestamp } from '../../api/meta/timestamp.js';
import type { StatusSource } from '../status/writer.js';
import type { Rejection } from './admission.js';
import { newer } from './resource-version.js';

/** A pod that its node refused: it is reported as failed, and nothing of it ever ran. */
export class RejectedPod implements StatusSource {
  readonly finished = true;
  readonly desired: V1PodStatus;

  constructor(
    public latest: V1Pod,
    rejection: Rejection,
    now: number,
  ) {
    const { metadata, spec, status } = latest;
    this.desired = {
      phase: 'Failed',
      reason: rejection.reason,
      message: `Pod was rejected: ${rejection.message}`,
      qosClass: status?.qosClass ?? computeQosClass(spec),
      startTime: status?.startTime ?? timestamp(now),
      ...(metadata?.generation === undefined ? {} : { observedGeneration: metadata.generation }),
      ...(status?.conditions ? { conditions: status.conditions } : {}),
    };
  }

  update(pod: V1Pod): void {
    if (newer(pod, this.latest)) this.latest = pod;
  }

  written(pod: V1Pod): void {
    this.update(pod);
  }

  gone(): void {
    // Nothing is left to end.
  }
}
