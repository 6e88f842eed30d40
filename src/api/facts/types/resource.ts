import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.resource.v1`. */
export const resource: PackageFacts = {
  package: 'io.k8s.api.resource.v1',
  group: 'resource.k8s.io',
  version: 'v1',
  plain: `
    CELDeviceSelector DeviceClass DeviceClassList DeviceSelector ResourceClaimList ResourceClaimTemplate ResourceClaimTemplateList
    ResourceClaimTemplateSpec ResourcePool ResourceSlice ResourceSliceList
  `,
  types: {
    AllocatedDeviceStatus: 'shareID*; conditions! +map(type); data runtime.RawExtension',
    AllocationResult: 'devices=',
    CapacityRequestPolicy: 'default! resource.Quantity; validValues []resource.Quantity +atomic',
    CapacityRequestPolicyRange: 'min*? resource.Quantity; max resource.Quantity; step resource.Quantity',
    CapacityRequirements: 'requests map[QualifiedName]resource.Quantity',
    Counter: 'value resource.Quantity',
    CounterSet: 'counters?',
    Device: `
      attributes map[QualifiedName]DeviceAttribute; capacity map[QualifiedName]DeviceCapacity; consumesCounters +atomic; nodeName*; allNodes*;
      taints +atomic; bindsToNode*; bindingConditions +atomic; bindingFailureConditions +atomic; allowMultipleAllocations*;
      nodeAllocatableResourceMappings map[ResourceName]NodeAllocatableResourceMapping
    `,
    DeviceAllocationConfiguration: 'source AllocationConfigSource; requests +atomic; ^DeviceConfiguration(opaque)',
    DeviceAllocationResult: 'results +atomic; config +atomic',
    DeviceAttribute: 'int*; bool*; string*; version*; ints +atomic; bools +atomic; strings +atomic; versions +atomic',
    DeviceCapacity: 'value resource.Quantity',
    DeviceClaim: 'requests! +atomic; constraints +atomic; config +atomic',
    DeviceClaimConfiguration: 'requests +atomic; ^DeviceConfiguration(opaque)',
    DeviceClassConfiguration: '^DeviceConfiguration(opaque)',
    DeviceClassSpec: 'selectors +atomic; config +atomic; extendedResourceName*',
    DeviceConstraint: 'requests +atomic; matchAttribute* FullyQualifiedName; distinctAttribute* FullyQualifiedName',
    DeviceCounterConsumption: 'counters?',
    DeviceRequest: 'firstAvailable +atomic',
    DeviceRequestAllocationResult: `
      adminAccess*; tolerations +atomic; bindingConditions +atomic; bindingFailureConditions +atomic; shareID* types.UID;
      consumedCapacity map[QualifiedName]resource.Quantity
    `,
    DeviceSubRequest: 'selectors +atomic; allocationMode DeviceAllocationMode; tolerations +atomic',
    DeviceTaint: 'effect DeviceTaintEffect',
    DeviceToleration: 'operator DeviceTolerationOperator +default("Equal"); effect DeviceTaintEffect; tolerationSeconds*',
    ExactDeviceRequest: 'selectors +atomic; allocationMode DeviceAllocationMode; adminAccess*; tolerations +atomic',
    NetworkDeviceData: 'ips +atomic',
    NodeAllocatableResourceMapping: 'capacityKey* QualifiedName; allocationMultiplier resource.Quantity',
    OpaqueDeviceConfiguration: 'parameters runtime.RawExtension',
    ResourceClaim: 'status=',
    ResourceClaimConsumerReference: 'uid types.UID',
    ResourceClaimSpec: 'devices=!',
    ResourceClaimStatus: 'reservedFor +map(uid)+merge(uid); devices +map(driver,device,pool,shareID)',
    ResourceSliceSpec: 'nodeName*; allNodes*; devices +atomic; perDeviceNodeSelection*; sharedCounters +atomic',
  },
  enums: {
    AllocationConfigSource: 'FromClaim|FromClass',
    DeviceAllocationMode: 'All|ExactCount',
    DeviceTaintEffect: 'NoExecute|NoSchedule|None',
    DeviceTolerationOperator: 'Equal|Exists',
  },
};
