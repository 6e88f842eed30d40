import { ACCESS_FLAGS } from '../access-flags.js';
import type { Command } from '../command.js';
import type { Role } from '../config-file.js';
import { ETCD_FLAGS } from '../etcd-flags.js';
import type { FlagName } from '../flags.js';

const COMMON: readonly FlagName[] = ['data-dir', 'output'];
const SERVER: readonly FlagName[] = [
  'bind-address', 'secure-port', 'advertise-address', 'store', ...ETCD_FLAGS, 'service-cluster-ip-range', 'service-node-port-range', ...ACCESS_FLAGS,
  'enable-admission-plugins', 'disable-admission-plugins', 'admission-control-config-file', 'event-ttl', 'request-timeout', 'service-account-issuer',
];
const CONTROLLERS: readonly FlagName[] = ['controllers', 'cluster-cidr', 'node-cidr-mask-size', 'service-cluster-ip-range', 'node-monitor-grace-period', 'terminated-pod-gc-threshold'];
const NODE: readonly FlagName[] = ['container-runtime', 'simulated-nodes', 'node-name', 'node-ip', 'kubelet-port', 'cluster-domain', 'max-pods', 'cni', 'registry-config', 'keep-pods'];
const PROCESS: readonly FlagName[] = ['config', 'log-level', 'timeout'];

/** What a section of the configuration file may set. */
export const SECTIONS: Readonly<Record<Role, readonly FlagName[]>> = {
  server: SERVER,
  scheduler: ['leader-elect'],
  controllers: [...CONTROLLERS, 'leader-elect'],
  node: NODE,
};

const unique = (...lists: readonly (readonly FlagName[])[]): readonly FlagName[] => [...new Set(lists.flat())];

/** Every subcommand. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'run all',
    summary: 'Run a whole cluster in this process',
    flags: unique(COMMON, ['kubeconfig', 'detach'], PROCESS, SERVER, CONTROLLERS, NODE),
    load: async () => (await import('./run-all.js')).runAll,
  },
  { name: 'server', summary: 'Run the API server alone', flags: unique(COMMON, PROCESS, SERVER), load: async () => (await import('./roles.js')).runServer },
  { name: 'scheduler', summary: 'Run the scheduler alone', flags: unique(COMMON, PROCESS, ['kubeconfig', 'leader-elect']), load: async () => (await import('./roles.js')).runScheduler },
  { name: 'controllers', summary: 'Run the controllers alone', flags: unique(COMMON, PROCESS, ['kubeconfig', 'leader-elect'], CONTROLLERS), load: async () => (await import('./roles.js')).runControllers },
  { name: 'node', summary: 'Run a node agent alone', flags: unique(COMMON, PROCESS, ['kubeconfig', 'cluster-cidr', 'service-cluster-ip-range'], NODE), load: async () => (await import('./roles.js')).runNode },
  { name: 'node list', summary: 'List the nodes of a cluster with what runs on them', flags: COMMON, load: async () => (await import('./node-list.js')).nodeList },
  { name: 'image import', summary: 'Take images from archives of Docker or OCI layouts (files, or - for stdin)', operands: 'FILE', flags: COMMON, load: async () => (await import('./image.js')).imageImport },
  { name: 'image pull', summary: 'Pull images from their registries', operands: 'IMAGE', flags: unique(COMMON, ['registry-config']), load: async () => (await import('./image.js')).imagePull },
  { name: 'image list', summary: 'List the images on this host', flags: COMMON, load: async () => (await import('./image.js')).imageList },
  { name: 'image remove', summary: 'Remove images, with all their names', operands: 'IMAGE', flags: COMMON, load: async () => (await import('./image.js')).imageRemove },
  { name: 'image prune', summary: 'Remove the images that no container uses', flags: unique(COMMON, ['dry-run']), load: async () => (await import('./image.js')).imagePrune },
  { name: 'status', summary: 'Say what runs', flags: COMMON, load: async () => (await import('./status.js')).status },
  { name: 'stop', summary: 'Stop a cluster that runs in the background or elsewhere', flags: unique(COMMON, ['timeout', 'keep-pods']), load: async () => (await import('./stop.js')).stop },
  { name: 'reset', summary: 'Stop a cluster and remove everything of it', flags: unique(COMMON, ['kubeconfig', 'dry-run', 'yes', 'timeout']), load: async () => (await import('./reset.js')).reset },
  { name: 'store copy', summary: 'Copy all objects between a data directory and an etcd, and compare them', flags: unique(['output', 'from', 'to', 'overwrite'], ETCD_FLAGS), load: async () => (await import('./store.js')).storeCopy },
  { name: 'kubeconfig', summary: 'Print the kubeconfig of a cluster, or merge it into a file', flags: unique(COMMON, ['kubeconfig']), load: async () => (await import('./kubeconfig.js')).kubeconfig },
  { name: 'version', summary: 'Print the version', flags: COMMON, load: async () => (await import('./version.js')).version },
];
