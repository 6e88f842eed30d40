import type { V1Deployment, V1ReplicaSet } from '../../api/generated/types.js';
import type { ResourceClient } from '../../client/index.js';
import { ROLLBACK_TO, revisionOf, rolledBackAnnotations } from './annotations.js';
import { lastRevision, sameTemplate, TEMPLATE_HASH } from './replica-sets.js';
import type { Rollout } from './rollout.js';

/** The revision that the deployment's annotation asks to go back to; 0 is the last one before the current. */
export function requestedRollback(deployment: V1Deployment): bigint | undefined {
  const text = deployment.metadata?.annotations?.[ROLLBACK_TO];
  return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** Puts the template of a former revision into the deployment and removes the request. */
export async function rollBack(rollout: Rollout, deployments: ResourceClient<V1Deployment>, requested: bigint): Promise<void> {
  const { deployment, recorder } = rollout;
  await rollout.syncCurrent(true);
  const revision = requested === 0n ? lastRevision(rollout.all) : requested;
  const warn = (reason: string, message: string): void => recorder.event(deployment, 'Warning', reason, message);
  const target = revision === 0n ? undefined : rollout.all.find((replicaSet) => revisionOf(replicaSet) === revision);
  if (!target) {
    warn('DeploymentRollbackRevisionNotFound', revision === 0n ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.');
    await deployments.update(withoutRequest(deployment));
  } else if (sameTemplate(deployment.spec?.template, target.spec?.template)) {
    warn('DeploymentRollbackTemplateUnchanged', `The rollback revision contains the same template as current deployment "${deployment.metadata?.name ?? ''}"`);
    await deployments.update(withoutRequest(deployment));
  } else {
    await deployments.update(withoutRequest(withTemplateOf(deployment, target)));
    recorder.event(deployment, 'Normal', 'DeploymentRollback', `Rolled back deployment "${deployment.metadata?.name ?? ''}" to revision ${revision}`);
  }
}

function withTemplateOf(deployment: V1Deployment, target: V1ReplicaSet): V1Deployment {
  const labels: Record<string, string> = { ...target.spec?.template?.metadata?.labels };
  delete labels[TEMPLATE_HASH];
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: rolledBackAnnotations(deployment, target) },
    spec: { ...deployment.spec!, template: { ...target.spec?.template, metadata: { ...target.spec?.template?.metadata, labels } } },
  };
}

function withoutRequest(deployment: V1Deployment): V1Deployment {
  const annotations: Record<string, string> = { ...deployment.metadata?.annotations };
  delete annotations[ROLLBACK_TO];
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
