import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.kube-aggregator.pkg.apis.apiregistration.v1`. */
export const apiregistration: PackageFacts = {
  package: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plain: `
    APIServiceList
  `,
  types: {
    APIService: 'spec=; status=',
    APIServiceCondition: 'type APIServiceConditionType; status ConditionStatus; lastTransitionTime=',
    APIServiceSpec: 'caBundle +atomic',
    APIServiceStatus: 'conditions +map(type)+merge(type)',
    ServiceReference: 'port*',
  },
};
