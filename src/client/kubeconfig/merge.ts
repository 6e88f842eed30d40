import type { Kubeconfig } from './kubeconfig.js';

interface Named {
  readonly name: string;
}

/**
 * Adds the clusters, users and contexts of `addition` to `existing`, replacing those of the same name and
 * keeping everything else. The current context becomes the addition's, when it has one and `switchContext` is not false.
 */
export function mergeKubeconfig(existing: Kubeconfig, addition: Kubeconfig, options: { readonly switchContext?: boolean } = {}): Kubeconfig {
  const current = options.switchContext === false ? undefined : addition['current-context'];
  return {
    ...existing,
    apiVersion: 'v1',
    kind: 'Config',
    clusters: overlay(existing.clusters, addition.clusters),
    users: overlay(existing.users, addition.users),
    contexts: overlay(existing.contexts, addition.contexts),
    ...(current !== undefined ? { 'current-context': current } : {}),
  };
}

/** Takes a context out, with its cluster and user where no other context uses them. */
export function removeFromKubeconfig(existing: Kubeconfig, contextName: string): Kubeconfig {
  const context = existing.contexts?.find((entry) => entry.name === contextName)?.context;
  if (!context) return existing;
  const contexts = (existing.contexts ?? []).filter((entry) => entry.name !== contextName);
  const { 'current-context': current, ...rest } = existing;
  return {
    ...rest,
    contexts,
    clusters: (existing.clusters ?? []).filter((entry) => entry.name !== context.cluster || contexts.some((other) => other.context.cluster === entry.name)),
    users: (existing.users ?? []).filter((entry) => entry.name !== context.user || contexts.some((other) => other.context.user === entry.name)),
    ...(current === undefined ? {} : { 'current-context': current === contextName ? '' : current }),
  };
}

function overlay<T extends Named>(existing: readonly T[] | null | undefined, addition: readonly T[] | null | undefined): readonly T[] {
  const added = new Map((addition ?? []).map((entry) => [entry.name, entry]));
  const kept = (existing ?? []).map((entry) => {
    const replacement = added.get(entry.name);
    added.delete(entry.name);
    return replacement ?? entry;
  });
  return [...kept, ...added.values()];
}
