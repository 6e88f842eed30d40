import type { EtcdSettings } from '../run/index.js';
import { ETCD_FLAGS } from './etcd-flags.js';
import type { FlagValues } from './flags.js';
import { UsageError } from './parse.js';

/**
 * Flags to the settings of a store in etcd; undefined when none is wanted. User and password come from `--etcd-config` or from
 * KUBE_ETCD_USER and KUBE_ETCD_PASSWORD, never from the command line, which others can see. Throws {@link UsageError}.
 */
export function etcdSettings(flags: FlagValues, environment: NodeJS.ProcessEnv): EtcdSettings | undefined {
  const servers = flags['etcd-servers'];
  if (!servers && flags['etcd-config'] === undefined) {
    const lone = ETCD_FLAGS.find((name) => flags[name] !== undefined);
    if (lone !== undefined) throw new UsageError(`--${lone} goes with --etcd-servers or --etcd-config: say where etcd is`);
    return undefined;
  }
  if (servers) for (const url of servers) checkUrl(url);
  if ((flags['etcd-certfile'] === undefined) !== (flags['etcd-keyfile'] === undefined)) throw new UsageError('--etcd-certfile and --etcd-keyfile go together');
  for (const name of ['etcd-prefix', 'etcd-migrate-from-prefix'] as const) {
    const prefix = flags[name];
    if (prefix !== undefined && !/^(\/[^/\s]+)+$/.test(prefix)) throw new UsageError(`--${name}: ${JSON.stringify(prefix)} is not a path such as /kube`);
  }
  const { KUBE_ETCD_USER: user, KUBE_ETCD_PASSWORD: password } = environment;
  return {
    ...(servers ? { servers } : {}),
    ...present('configFile', flags['etcd-config']),
    ...present('prefix', flags['etcd-prefix']),
    ...present('migrateFromPrefix', flags['etcd-migrate-from-prefix']),
    ...present('caFile', flags['etcd-cafile']),
    ...present('certFile', flags['etcd-certfile']),
    ...present('keyFile', flags['etcd-keyfile']),
    ...present('user', user),
    ...present('password', password),
  };
}

function present<K extends keyof EtcdSettings>(name: K, value: EtcdSettings[K] | undefined): { readonly [P in K]?: EtcdSettings[K] } {
  return value === undefined || value === '' ? {} : ({ [name]: value } as { readonly [P in K]?: EtcdSettings[K] });
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.pathname !== '/') throw new UsageError(`--etcd-servers: ${JSON.stringify(text)} is not a URL such as https://127.0.0.1:2379`);
  if (url.username !== '' || url.password !== '') throw new UsageError('--etcd-servers: a URL must not carry a user or password; give them in --etcd-config, or in KUBE_ETCD_USER and KUBE_ETCD_PASSWORD');
}
