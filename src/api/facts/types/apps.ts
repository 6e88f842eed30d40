import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.apps.v1`. */
export const apps: PackageFacts = {
  package: 'io.k8s.api.apps.v1',
  group: 'apps',
  version: 'v1',
  plain: `
    ControllerRevisionList DaemonSetList DeploymentList ReplicaSetList RollingUpdateDaemonSet RollingUpdateDeployment StatefulSetList
  `,
  types: {
    ControllerRevision: 'data= runtime.RawExtension',
    DaemonSet: 'spec=; status=',
    DaemonSetCondition: 'type DaemonSetConditionType; status ConditionStatus; lastTransitionTime=',
    DaemonSetSpec: 'selector*; updateStrategy=; revisionHistoryLimit*',
    DaemonSetStatus: 'collisionCount*; conditions +map(type)+merge(type)',
    DaemonSetUpdateStrategy: 'type DaemonSetUpdateStrategyType',
    Deployment: 'spec=; status=',
    DeploymentCondition: 'type DeploymentConditionType; status ConditionStatus; lastUpdateTime=; lastTransitionTime=',
    DeploymentSpec: 'replicas*; selector*; strategy= +strategy(retainKeys); revisionHistoryLimit*; progressDeadlineSeconds*',
    DeploymentStatus: 'terminatingReplicas*; conditions +map(type)+merge(type); collisionCount*',
    DeploymentStrategy: 'type DeploymentStrategyType',
    ReplicaSet: 'spec=; status=',
    ReplicaSetCondition: 'type ReplicaSetConditionType; status ConditionStatus; lastTransitionTime=',
    ReplicaSetSpec: 'replicas*; selector*; template=',
    ReplicaSetStatus: 'terminatingReplicas*; conditions +map(type)+merge(type)',
    RollingUpdateStatefulSetStrategy: 'partition*',
    StatefulSet: 'spec=; status=',
    StatefulSetCondition: 'type StatefulSetConditionType; status ConditionStatus; lastTransitionTime=',
    StatefulSetOrdinals: 'start!',
    StatefulSetPersistentVolumeClaimRetentionPolicy: 'whenDeleted PersistentVolumeClaimRetentionPolicyType; whenScaled PersistentVolumeClaimRetentionPolicyType',
    StatefulSetSpec: `
      replicas*; selector*; volumeClaimTemplates +atomic; serviceName!; podManagementPolicy PodManagementPolicyType; updateStrategy=;
      revisionHistoryLimit*
    `,
    StatefulSetStatus: 'collisionCount*; conditions +map(type)+merge(type); availableReplicas!',
    StatefulSetUpdateStrategy: 'type StatefulSetUpdateStrategyType',
  },
  enums: {
    DaemonSetUpdateStrategyType: 'OnDelete|RollingUpdate',
    DeploymentStrategyType: 'Recreate|RollingUpdate',
    PodManagementPolicyType: 'OrderedReady|Parallel',
    StatefulSetUpdateStrategyType: 'OnDelete|RollingUpdate',
  },
};
