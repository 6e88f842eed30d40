import { NAMESPACES } from '../../api/resource-refs.js';
import type { PostStartHook } from '../server-context.js';
import { createIfAbsent } from './ensure.js';

/** Namespaces that are always there. */
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

export const systemNamespaces: PostStartHook = {
  name: 'start-system-namespaces-controller',
  run: async (context) => {
    await Promise.all(SYSTEM_NAMESPACES.map((name) => createIfAbsent(context, NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  },
};
