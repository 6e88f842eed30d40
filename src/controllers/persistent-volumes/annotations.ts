/** The claim is bound for good: what happens from now on to its volume is a loss. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a volume or claim: the controller chose the other side, not the user. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** On a volume: name of the provisioner that made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a claim: the provisioner that has to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** The older name of {@link STORAGE_PROVISIONER}; both are written. */
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** On a claim: the node that the scheduler chose for its first pod. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** The older way to name a storage class. */
export const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
