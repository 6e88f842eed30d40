/** What `/configz` shows of a node's agent: the fields of upstream's `KubeletConfiguration` that mean something here, with the values that are in force. */
export interface ShownConfig {
  readonly address: string;
  readonly port: number;
  readonly maxPods: number;
  readonly leaseSeconds: number;
  readonly statusReportSeconds: number;
  readonly clusterDomain?: string;
  readonly clusterDns?: readonly string[];
  readonly cgroupRoot?: string;
}

/** The body of `/configz`. */
export function configz(config: ShownConfig): unknown {
  return {
    kubeletconfig: {
      enableServer: true, address: config.address, port: config.port, readOnlyPort: 0, serializeImagePulls: false,
      authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
      authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
      ...(config.clusterDomain === undefined ? {} : { clusterDomain: config.clusterDomain }),
      ...(config.clusterDns?.length ? { clusterDNS: config.clusterDns } : {}),
      nodeStatusUpdateFrequency: '10s', nodeStatusReportFrequency: `${config.statusReportSeconds / 60}m0s`, nodeLeaseDurationSeconds: config.leaseSeconds,
      imageMinimumGCAge: '2m0s', imageMaximumGCAge: '0s', imageGCHighThresholdPercent: 85, imageGCLowThresholdPercent: 80,
      ...(config.cgroupRoot === undefined ? {} : { cgroupRoot: config.cgroupRoot }),
      cgroupsPerQOS: true, cgroupDriver: 'cgroupfs', cpuManagerPolicy: 'none', memoryManagerPolicy: 'None', topologyManagerPolicy: 'none', cpuCFSQuota: true, cpuCFSQuotaPeriod: '100ms',
      maxPods: config.maxPods, podPidsLimit: -1, resolvConf: '/etc/resolv.conf', hairpinMode: 'promiscuous-bridge', failSwapOn: false, memorySwap: {},
      evictionHard: { 'imagefs.available': '15%', 'imagefs.inodesFree': '5%', 'memory.available': '100Mi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
      evictionPressureTransitionPeriod: '5m0s', localStorageCapacityIsolation: true, containerLogMaxSize: '10Mi', containerLogMaxFiles: 5, containerLogMonitorInterval: '10s', enforceNodeAllocatable: ['none'],
      enableControllerAttachDetach: true, makeIPTablesUtilChains: false, registerNode: true,
      enableSystemLogHandler: false, enableProfilingHandler: false, enableDebugFlagsHandler: false,
    },
  };
}
