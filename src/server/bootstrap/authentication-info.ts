import { CONFIG_MAPS } from '../../api/resource-refs.js';
import type { ApiServerOptions, PostStartHook } from '../server-context.js';
import { createIfAbsent, ensure } from './ensure.js';

const NAMESPACE = 'kube-system';

/** What extension API servers need to know clients by: as files would hold it, lists as JSON. */
function authenticationData({ clientCa, requestHeader }: ApiServerOptions): Record<string, string> {
  const list = (names: readonly string[]): string => JSON.stringify(names);
  return {
    ...(clientCa === '' ? {} : { 'client-ca-file': clientCa }),
    ...(requestHeader ? {
      'requestheader-username-headers': list(requestHeader.usernameHeaders),
      ...(requestHeader.uidHeaders.length > 0 ? { 'requestheader-uid-headers': list(requestHeader.uidHeaders) } : {}),
      'requestheader-group-headers': list(requestHeader.groupHeaders),
      'requestheader-extra-headers-prefix': list(requestHeader.extraHeadersPrefixes),
      'requestheader-client-ca-file': requestHeader.clientCa,
      'requestheader-allowed-names': list(requestHeader.allowedNames),
    } : {}),
  };
}

/** Publishes for extension API servers how clients are known. */
export const authenticationInfo: PostStartHook = {
  name: 'start-cluster-authentication-info-controller',
  run: async (context) => {
    const data = authenticationData(context.options);
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extension-apiserver-authentication', namespace: NAMESPACE }, data };
    await ensure(context, CONFIG_MAPS, wanted, (stored) =>
      Object.entries(data).every(([key, value]) => stored.data?.[key] === value) ? undefined : { ...stored, data: { ...stored.data, ...data } });
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
