import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { KubeError, errorMessage } from '../../base/errors.js';

/** A named cluster of a kubeconfig; fields that are not known here are kept. */
export interface KubeconfigCluster {
  readonly name: string;
  readonly cluster: {
    readonly server?: string;
    /** Base64 of a PEM bundle. */
    readonly 'certificate-authority-data'?: string;
    readonly 'certificate-authority'?: string;
    readonly 'insecure-skip-tls-verify'?: boolean;
    readonly 'tls-server-name'?: string;
  };
}

export interface KubeconfigUser {
  readonly name: string;
  readonly user: {
    /** Base64 of PEM. */
    readonly 'client-certificate-data'?: string;
    readonly 'client-key-data'?: string;
    readonly 'client-certificate'?: string;
    readonly 'client-key'?: string;
    readonly token?: string;
    readonly tokenFile?: string;
    readonly username?: string;
    readonly password?: string;
  };
}

export interface KubeconfigContext {
  readonly name: string;
  readonly context: { readonly cluster: string; readonly user: string; readonly namespace?: string };
}

/** A kubeconfig file (`v1`, `Config`). */
export interface Kubeconfig {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly 'current-context'?: string;
  readonly clusters?: readonly KubeconfigCluster[];
  readonly users?: readonly KubeconfigUser[];
  readonly contexts?: readonly KubeconfigContext[];
  readonly preferences?: unknown;
}

/** Parses YAML or JSON; `source` names it in errors (`KUBE_KUBECONFIG_INVALID`). An empty text is an empty configuration. */
export function parseKubeconfig(text: string, source: string): Kubeconfig {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    throw new KubeError('KUBE_KUBECONFIG_INVALID', `${source} is not valid YAML: ${errorMessage(error)}`, { cause: error });
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new KubeError('KUBE_KUBECONFIG_INVALID', `${source} is not a kubeconfig: it holds no mapping`);
  const config = value as Record<string, unknown>;
  if (config['kind'] !== undefined && config['kind'] !== 'Config') throw new KubeError('KUBE_KUBECONFIG_INVALID', `${source} is not a kubeconfig: its kind is ${String(config['kind'])}`);
  for (const list of ['clusters', 'users', 'contexts']) {
    const entries = config[list];
    if (entries !== undefined && entries !== null && !Array.isArray(entries)) throw new KubeError('KUBE_KUBECONFIG_INVALID', `${source}: ${list} is not a list`);
  }
  return config as Kubeconfig;
}

/** The YAML text of a configuration. */
export function renderKubeconfig(config: Kubeconfig): string {
  return dump({ ...config, apiVersion: 'v1', kind: 'Config' }, { noRefs: true, lineWidth: -1 });
}
