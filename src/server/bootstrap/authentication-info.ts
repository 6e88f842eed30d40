import { CONFIG_MAPS } from '../../api/resource-refs.js';
import type { PostStartHook } from '../server-context.js';
import { createIfAbsent, ensure } from './ensure.js';

const NAMESPACE = 'kube-system';

/** Publishes the client CA for extension API servers. */
export const authenticationInfo: PostStartHook = {
  name: 'start-cluster-authentication-info-controller',
  run: async (context) => {
    const data = { 'client-ca-file': context.options.clientCa };
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extension-apiserver-authentication', namespace: NAMESPACE }, data };
    await ensure(context, CONFIG_MAPS, wanted, (stored) =>
      stored.data?.['client-ca-file'] === data['client-ca-file'] ? undefined : { ...stored, data: { ...stored.data, ...data } });
  },
};

/** Notes since when the use of tokens in Secrets is tracked. */
export const legacyTokenTracking: PostStartHook = {
  name: 'start-legacy-token-tracking-controller',
  run: async (context) => {
    await createIfAbsent(context, CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: NAMESPACE },
      data: { since: new Date(context.clock.now()).toISOString().slice(0, 10) },
    });
  },
};
