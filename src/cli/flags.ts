/** One command-line flag. */
export interface FlagDefinition {
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  readonly description: string;
  /** Shown in help; the value is filled in by the command where it depends on the machine. */
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  /** Placeholder in help: `FILE`, `ADDRESS`. */
  readonly value?: string;
  /** Inclusive bounds of a number. */
  readonly range?: readonly [number, number];
}

/** Every flag of every command. `docs/flags.md` is made from this table. */
export const FLAGS = {
  'data-dir': { type: 'string', value: 'DIR', description: 'Folder that holds everything of one cluster. Default: /var/lib/kube for root, ~/.local/share/kube otherwise' },
  output: { type: 'string', value: 'FORMAT', choices: ['text', 'json'], default: 'text', description: 'Form of the answer on stdout; with json stdout carries JSON only' },
  config: { type: 'string', value: 'FILE', description: 'YAML file with flags by name, and a section per role (server, scheduler, controllers, node)' },
  'bind-address': { type: 'string', value: 'ADDRESS', default: '127.0.0.1', description: 'Address on which the API server listens' },
  'secure-port': { type: 'number', value: 'PORT', default: 6443, range: [0, 65535], description: 'Port of the API server; 0 takes a free one' },
  'advertise-address': { type: 'string', value: 'ADDRESS', description: 'Address of the API server as the kubernetes service gives it. Default: the bind address, or the first address of this host when that is a loopback or wildcard one' },
  'container-runtime': { type: 'string', choices: ['auto', 'native', 'sim'], default: 'auto', description: 'How pods run: native containers, or simulated ones. auto takes native where it can, but sim with --simulated-nodes and for a node that runs alone' },
  'simulated-nodes': { type: 'number', value: 'N', range: [0, 10000], description: 'Number of nodes that pretend to run their pods. Default with simulated pods: 1' },
  'node-ip': { type: 'string', value: 'ADDRESS', description: 'Address of the node as the API shows it; node ports answer there. Default: the first address of this host' },
  'cluster-domain': { type: 'string', value: 'DOMAIN', default: 'cluster.local', description: 'Domain of the names that the cluster\'s DNS serves' },
  'max-pods': { type: 'number', value: 'N', default: 110, range: [1, 1000], description: 'Most pods on a node with native containers' },
  cni: { type: 'string', choices: ['auto', 'never'], default: 'auto', description: 'auto: pods get their network from the CNI configuration in /etc/cni/net.d, where there is one' },
  'registry-config': { type: 'string', value: 'FILE', description: 'YAML file about image registries: mirrors, insecure ones, authorities, credentials' },
  'keep-pods': { type: 'boolean', default: false, description: 'Leave native containers running when the cluster stops; the next start adopts them' },
  kubeconfig: { type: 'string', value: 'FILE', description: 'kubeconfig that the context "kube" is merged into (run, kubeconfig, reset), or that says how to reach the API server (the roles)' },
  detach: { type: 'boolean', default: false, description: 'Go on in the background; return when the cluster is ready' },
  store: { type: 'string', choices: ['leveldb', 'memory'], default: 'leveldb', description: 'Where objects are kept' },
  'etcd-servers': { type: 'list', value: 'URLS', description: 'Members of an etcd (3.4 or newer) that keeps the objects instead of --store; several servers may share it' },
  'etcd-config': { type: 'string', value: 'FILE', description: 'YAML file about etcd: servers, prefix, migrateFromPrefix, caFile, certFile, keyFile, user, password or passwordFile. User and password may also stand in KUBE_ETCD_USER and KUBE_ETCD_PASSWORD' },
  'etcd-prefix': { type: 'string', value: 'PATH', description: 'What the keys in etcd begin with. Default: /kube' },
  'etcd-migrate-from-prefix': { type: 'string', value: 'PATH', description: 'Take over what this program stored under an earlier prefix, once; stop the servers that use it first' },
  'etcd-cafile': { type: 'string', value: 'FILE', description: 'Authorities (PEM) of the certificates of etcd' },
  'etcd-certfile': { type: 'string', value: 'FILE', description: 'Client certificate (PEM) for etcd' },
  'etcd-keyfile': { type: 'string', value: 'FILE', description: 'Its key' },
  'service-cluster-ip-range': { type: 'string', value: 'CIDR', description: 'Range of the addresses of services. Default: 10.96.0.0/16, or the next one that is free on this host with native containers' },
  'service-node-port-range': { type: 'string', value: 'FROM-TO', default: '30000-32767', description: 'Ports for services of type NodePort' },
  'cluster-cidr': { type: 'string', value: 'CIDR', description: 'Range of the addresses of pods. Default: 10.244.0.0/16, or the next one that is free on this host with native containers, or 10.128.0.0/9 with more than 250 simulated nodes' },
  'node-cidr-mask-size': { type: 'number', value: 'BITS', default: 24, range: [8, 30], description: 'Prefix length of the part of the pod range that one node gets' },
  'authorization-mode': { type: 'list', value: 'MODES', default: 'Node,RBAC', description: 'Authorizers in order: Node, RBAC, ABAC, AlwaysAllow, AlwaysDeny' },
  'authorization-policy-file': { type: 'string', value: 'FILE', description: 'Policies of mode ABAC, one JSON object per line' },
  'authorization-config': { type: 'string', value: 'FILE', description: 'AuthorizationConfiguration that names the authorizers in order, instead of --authorization-mode' },
  'anonymous-auth': { type: 'boolean', default: true, description: 'Requests without credentials are system:anonymous; not with mode AlwaysAllow' },
  'authentication-config': { type: 'string', value: 'FILE', description: 'AuthenticationConfiguration that says on which paths requests without credentials are let in' },
  'token-auth-file': { type: 'string', value: 'FILE', description: 'Bearer tokens, one per line of CSV: token,user,uid,"group1,group2"' },
  'basic-auth-file': { type: 'string', value: 'FILE', description: 'Passwords for HTTP Basic authentication, one per line of CSV: password,user,uid,"group1,group2"' },
  'client-ca-file': { type: 'string', value: 'FILE', description: 'Authorities (PEM) of client certificates, beside the one of the cluster' },
  'requestheader-client-ca-file': { type: 'string', value: 'FILE', description: 'Authorities (PEM) of proxies in front that say in headers who makes a request; which headers these are, the other --requestheader flags say' },
  'requestheader-allowed-names': { type: 'list', value: 'NAMES', description: 'Common names of such proxies; without it every client of these authorities is one' },
  'requestheader-username-headers': { type: 'list', value: 'NAMES', description: 'Headers with the name of the user, usually X-Remote-User; the first that is there counts. Without it no proxy is believed' },
  'requestheader-uid-headers': { type: 'list', value: 'NAMES', description: 'Headers with the uid of the user, X-Remote-Uid among them' },
  'requestheader-group-headers': { type: 'list', value: 'NAMES', description: 'Headers with groups of the user, usually X-Remote-Group' },
  'requestheader-extra-headers-prefix': { type: 'list', value: 'PREFIXES', description: 'Beginnings of headers with further attributes of the user, usually X-Remote-Extra-' },
  'enable-admission-plugins': { type: 'list', value: 'NAMES', description: 'Admission plugins beside the default ones' },
  'admission-control-config-file': { type: 'string', value: 'FILE', description: 'AdmissionConfiguration (YAML) with the configuration of admission plugins, or the paths of the files that have it' },
  'disable-admission-plugins': { type: 'list', value: 'NAMES', description: 'Default admission plugins to leave out' },
  'event-ttl': { type: 'string', value: 'DURATION', default: '1h', description: 'How long events are kept' },
  'request-timeout': { type: 'string', value: 'DURATION', default: '1m', description: 'Longest time of a request that is neither a watch nor a stream' },
  'service-account-issuer': { type: 'string', value: 'URL', default: 'https://kubernetes.default.svc.cluster.local', description: 'Issuer in service-account tokens' },
  'node-monitor-grace-period': { type: 'string', value: 'DURATION', default: '50s', description: 'A node that is silent for this long is not ready' },
  'terminated-pod-gc-threshold': { type: 'number', value: 'N', default: 12500, range: [0, 10_000_000], description: 'Finished pods kept before the oldest are removed; 0 keeps all' },
  controllers: { type: 'list', value: 'NAMES', default: '*', description: 'Controllers to run: "*" for the default ones, a name to add, -name to leave out' },
  'leader-elect': { type: 'boolean', default: true, description: 'With several processes of the role, only the one that holds the lease works' },
  'node-name': { type: 'string', value: 'NAME', description: 'Name of the node, or the first part of the names when there are several. Default: with native containers the name of this host, otherwise node-1, node-2, …' },
  'kubelet-port': { type: 'number', value: 'PORT', default: 0, range: [0, 65535], description: 'Port of the node agent; 0 takes a free one' },
  'log-level': { type: 'string', choices: ['error', 'warn', 'info', 'debug'], default: 'warn', description: 'Least important messages to log on stderr' },
  timeout: { type: 'string', value: 'DURATION', default: '60s', description: 'Longest time to wait until it is done; of a start: for the server, then for the roles, then for the nodes' },
  'dry-run': { type: 'boolean', default: false, description: 'Only say what would be done' },
  from: { type: 'string', value: 'PLACE', description: 'What to copy from: a data directory, etcd (the one of the --etcd flags), or etcd:FILE (the one of such a configuration file)' },
  to: { type: 'string', value: 'PLACE', description: 'What to copy to, in the same form' },
  overwrite: { type: 'boolean', default: false, description: 'Replace what the target of the copy holds; nobody may use it meanwhile' },
  yes: { type: 'boolean', default: false, description: 'Do not ask' },
} as const satisfies Record<string, FlagDefinition>;

export type FlagName = keyof typeof FLAGS;

type ValueOf<F extends FlagDefinition> = F['type'] extends 'number' ? number : F['type'] extends 'boolean' ? boolean : F['type'] extends 'list' ? readonly string[] : string;

/** Values of flags after parsing: defaults filled in, absent only where there is no default. */
export type FlagValues = { readonly [K in FlagName]?: ValueOf<(typeof FLAGS)[K]> };

/** Short forms. */
export const ALIASES: Readonly<Partial<Record<FlagName, string>>> = { output: 'o' };
