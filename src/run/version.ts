/** Version of this program. */
export const VERSION = '0.1.0';

/** Version of the Kubernetes API that it speaks, as `/version` gives it. */
export const KUBERNETES_VERSION = 'v1.36.0';
