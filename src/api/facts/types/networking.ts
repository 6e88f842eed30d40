import type { PackageFacts } from './grammar.js';

/** Types of `io.k8s.api.networking.v1`. */
export const networking: PackageFacts = {
  package: 'io.k8s.api.networking.v1',
  group: 'networking.k8s.io',
  version: 'v1',
  plain: `
    IPAddressList IngressBackend IngressClassList IngressClassSpec IngressList NetworkPolicyList NetworkPolicyPeer ServiceCIDRList
  `,
  types: {
    HTTPIngressPath: 'pathType* PathType',
    HTTPIngressRuleValue: 'paths +atomic',
    IPAddress: 'spec?',
    IPAddressSpec: 'parentRef*?',
    IPBlock: 'except +atomic',
    Ingress: 'spec=; status=',
    IngressClass: 'spec=',
    IngressClassParametersReference: 'apiGroup*; scope*!; namespace*',
    IngressLoadBalancerIngress: 'ports +atomic',
    IngressLoadBalancerStatus: 'ingress +atomic',
    IngressPortStatus: 'protocol Protocol; error*',
    IngressRule: '^IngressRuleValue(http)',
    IngressServiceBackend: 'port=',
    IngressSpec: 'ingressClassName*; tls +atomic; rules +atomic',
    IngressStatus: 'loadBalancer=',
    IngressTLS: 'hosts +atomic',
    NetworkPolicy: 'spec=',
    NetworkPolicyEgressRule: 'ports +atomic; to +atomic',
    NetworkPolicyIngressRule: 'ports +atomic; from +atomic',
    NetworkPolicyPort: 'protocol* Protocol; endPort*',
    NetworkPolicySpec: 'podSelector=!; ingress +atomic; egress +atomic; policyTypes []PolicyType +atomic',
    ParentReference: 'resource?; name?',
    ServiceBackendPort: '@atomic',
    ServiceCIDR: 'spec=; status=',
    ServiceCIDRSpec: 'cidrs +atomic',
    ServiceCIDRStatus: 'conditions +map(type)+merge(type)',
  },
  enums: {
    PathType: 'Exact|ImplementationSpecific|Prefix',
    PolicyType: 'Egress|Ingress',
  },
};
