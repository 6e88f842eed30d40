/** Field numbers in protobuf of the types of `io.k8s.api.apps.v1`; the notation is explained in index.ts. */
export const apps: Readonly<Record<string, string>> = {
  ControllerRevision: 'metadata data revision',
  ControllerRevisionList: 'metadata items',
  DaemonSet: 'metadata spec status',
  DaemonSetCondition: 'type status lastTransitionTime reason message',
  DaemonSetList: 'metadata items',
  DaemonSetSpec: 'selector template updateStrategy minReadySeconds revisionHistoryLimit:6',
  DaemonSetStatus: `
    currentNumberScheduled numberMisscheduled desiredNumberScheduled numberReady observedGeneration updatedNumberScheduled numberAvailable
    numberUnavailable collisionCount conditions
  `,
  DaemonSetUpdateStrategy: 'type rollingUpdate',
  Deployment: 'metadata spec status',
  DeploymentCondition: 'type status reason:4 message lastUpdateTime lastTransitionTime',
  DeploymentList: 'metadata items',
  DeploymentSpec: 'replicas selector template strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds:9',
  DeploymentStatus: `
    observedGeneration replicas updatedReplicas availableReplicas unavailableReplicas conditions readyReplicas collisionCount terminatingReplicas
  `,
  DeploymentStrategy: 'type rollingUpdate',
  ReplicaSet: 'metadata spec status',
  ReplicaSetCondition: 'type status lastTransitionTime reason message',
  ReplicaSetList: 'metadata items',
  ReplicaSetSpec: 'replicas selector template minReadySeconds',
  ReplicaSetStatus: 'replicas fullyLabeledReplicas observedGeneration readyReplicas availableReplicas conditions terminatingReplicas',
  RollingUpdateDaemonSet: 'maxUnavailable maxSurge',
  RollingUpdateDeployment: 'maxUnavailable maxSurge',
  RollingUpdateStatefulSetStrategy: 'partition maxUnavailable',
  StatefulSet: 'metadata spec status',
  StatefulSetCondition: 'type status lastTransitionTime reason message',
  StatefulSetList: 'metadata items',
  StatefulSetOrdinals: 'start',
  StatefulSetPersistentVolumeClaimRetentionPolicy: 'whenDeleted whenScaled',
  StatefulSetSpec: `
    replicas selector template volumeClaimTemplates serviceName podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds
    persistentVolumeClaimRetentionPolicy ordinals
  `,
  StatefulSetStatus: `
    observedGeneration replicas readyReplicas currentReplicas updatedReplicas currentRevision updateRevision collisionCount:9 conditions
    availableReplicas
  `,
  StatefulSetUpdateStrategy: 'type rollingUpdate',
};
