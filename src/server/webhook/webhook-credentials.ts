import type { Kubeconfig } from '../../client/index.js';

type User = NonNullable<Kubeconfig['users']>[number]['user'];

/** What the server shows to a webhook. */
export interface WebhookCredential {
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Finds what to show to the webhook at `host:port`; undefined: nothing. */
export type WebhookCredentials = (target: string) => WebhookCredential | undefined;

/**
 * The credentials of the kubeconfig that an admission plugin's configuration names (`WebhookAdmissionConfiguration.kubeConfigFile`). Its users are named
 * after what they are for: `host:port`, `<service>.<namespace>.svc:<port>`, `*.<suffix>` (both also without `:443`), `*`; else the current context's is used.
 * Files that users name are not read here.
 */
export function kubeconfigCredentials(config: Kubeconfig): WebhookCredentials {
  const users = new Map((config.users ?? []).map(({ name, user }) => [name, user]));
  const current = config.contexts?.find(({ name }) => name === config['current-context'])?.context.user;
  return (target) => {
    const user = namesFor(target).map((name) => users.get(name)).find((found) => found !== undefined) ?? users.get('*') ?? users.get(current ?? '');
    return user && credential(user);
  };
}

/** The names under which a target's user may stand, best first. */
function namesFor(target: string): string[] {
  const of = (text: string): string[] => {
    const steps = text.split('.');
    return [text, ...steps.slice(1).map((_step, i) => `*.${steps.slice(i + 1).join('.')}`)];
  };
  return [...of(target), ...(target.endsWith(':443') ? of(target.slice(0, -4)) : [])];
}

function credential(user: User): WebhookCredential {
  const pem = (data: string | undefined): string | undefined => (data ? Buffer.from(data, 'base64').toString() : undefined);
  const certificate = pem(user['client-certificate-data']);
  const key = pem(user['client-key-data']);
  return {
    ...(user.token ? { token: user.token } : {}),
    ...(user.username === undefined ? {} : { username: user.username }),
    ...(user.password === undefined ? {} : { password: user.password }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}
