/** Field numbers in protobuf of the types of `io.k8s.kube-aggregator.pkg.apis.apiregistration.v1`; the notation is explained in index.ts. */
export const apiregistration: Readonly<Record<string, string>> = {
  APIService: 'metadata spec status',
  APIServiceCondition: 'type status lastTransitionTime reason message',
  APIServiceList: 'metadata items',
  APIServiceSpec: 'service group version insecureSkipTLSVerify caBundle groupPriorityMinimum:7 versionPriority',
  APIServiceStatus: 'conditions',
  ServiceReference: 'namespace name port',
};
