export { VERSION, KUBERNETES_VERSION } from './version.js';
export { DataDirectory, defaultDataDirectory } from './data-directory.js';
export { DEFAULT_SETTINGS } from './options.js';
export type { EtcdSettings } from './etcd-location.js';
export type { StoreCopyDocument, StorePlace } from './store-copy.js';
export type { AccessSettings, RequestHeaderSettings } from './access/access-settings.js';
export type { ClusterSettings, ControllersSettings, NodeSettings, ServerSettings } from './options.js';
export type { ClusterStatus } from './status.js';
export type { ResetOptions, ResetResult } from './reset.js';
export type { StopResult } from './stop.js';
export type { ReadyDocument, RunAllOptions } from './run-all.js';
export type { RoleRunOptions } from './roles.js';

// The commands are loaded when they are called: start-up is a feature.
export const loadRunAll = async () => (await import('./run-all.js')).runAll;
export const loadRoles = () => import('./roles.js');
export const loadStatus = async () => (await import('./status.js')).clusterStatus;
export const loadStop = async () => (await import('./stop.js')).stopCluster;
export const loadReset = async () => (await import('./reset.js')).resetCluster;
export const loadKubeconfigTools = () => import('./merge-kubeconfig.js');
export const loadNodeList = async () => (await import('./node-list.js')).listNodes;
export const loadStoreCopy = async () => (await import('./store-copy.js')).copyBetweenStores;
export const loadImageTools = () => import('./images.js');
export type { ListedImage, PullProgress, RemovedImage } from '../node/index.js';
