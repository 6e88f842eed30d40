import { type BootstrapRole, on, READ } from './rule.js';

/** Default roles inside system namespaces. */
export const NAMESPACE_ROLES: readonly BootstrapRole[] = [
  { namespace: 'kube-public', name: 'system:controller:bootstrap-signer', rules: [
    on(READ, 'core', 'configmaps'),
    on('update', 'core', 'configmaps', 'cluster-info'),
    on('create patch update', 'core events.k8s.io', 'events'),
  ] },
  { namespace: 'kube-system', name: 'extension-apiserver-authentication-reader', rules: [on(READ, 'core', 'configmaps', 'extension-apiserver-authentication')] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-controller-manager', rules: [
    on('create get list update watch', 'coordination.k8s.io', 'leases'),
    on('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
  ] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-scheduler', rules: [
    on('create get list update watch', 'coordination.k8s.io', 'leases'),
    on('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
  ] },
  { namespace: 'kube-system', name: 'system:controller:bootstrap-signer', rules: [on(READ, 'core', 'secrets')] },
  { namespace: 'kube-system', name: 'system:controller:cloud-provider', rules: [on('create get list watch', 'core', 'configmaps')] },
  { namespace: 'kube-system', name: 'system:controller:token-cleaner', rules: [
    on('delete get list watch', 'core', 'secrets'),
    on('create patch update', 'core events.k8s.io', 'events'),
  ] },
];
