import { group, serviceAccount, user, type BootstrapBinding } from './rule.js';

/** Default cluster role bindings, those of the controllers apart. */
export const CLUSTER_ROLE_BINDINGS_DATA: readonly BootstrapBinding[] = [
  { name: 'cluster-admin', subjects: [group('system:masters')] },
  { name: 'system:basic-user', subjects: [group('system:authenticated')] },
  { name: 'system:discovery', subjects: [group('system:authenticated')] },
  { name: 'system:kube-controller-manager', subjects: [user('system:kube-controller-manager')] },
  { name: 'system:kube-dns', subjects: [serviceAccount('kube-system', 'kube-dns')] },
  { name: 'system:kube-scheduler', subjects: [user('system:kube-scheduler')] },
  { name: 'system:monitoring', subjects: [group('system:monitoring')] },
  { name: 'system:node', subjects: [] },
  { name: 'system:node-proxier', subjects: [user('system:kube-proxy')] },
  { name: 'system:public-info-viewer', subjects: [group('system:authenticated'), group('system:unauthenticated')] },
  { name: 'system:service-account-issuer-discovery', subjects: [group('system:serviceaccounts')] },
  { name: 'system:volume-scheduler', subjects: [user('system:kube-scheduler')] },
];

/** Default role bindings inside system namespaces. */
export const ROLE_BINDINGS_DATA: readonly BootstrapBinding[] = [
  { namespace: 'kube-public', name: 'system:controller:bootstrap-signer', subjects: [serviceAccount('kube-system', 'bootstrap-signer')] },
  { namespace: 'kube-system', name: 'system::extension-apiserver-authentication-reader', role: 'extension-apiserver-authentication-reader', subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-controller-manager', subjects: [user('system:kube-controller-manager'), serviceAccount('kube-system', 'kube-controller-manager'), serviceAccount('kube-system', 'leader-election-controller')] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-scheduler', subjects: [user('system:kube-scheduler'), serviceAccount('kube-system', 'kube-scheduler')] },
  { namespace: 'kube-system', name: 'system:controller:bootstrap-signer', subjects: [serviceAccount('kube-system', 'bootstrap-signer')] },
  { namespace: 'kube-system', name: 'system:controller:cloud-provider', subjects: [serviceAccount('kube-system', 'cloud-provider')] },
  { namespace: 'kube-system', name: 'system:controller:token-cleaner', subjects: [serviceAccount('kube-system', 'token-cleaner')] },
];
