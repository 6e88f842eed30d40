export { attachContainer } from './attach.js';
export type { AttachTarget } from './attach.js';
export { startExec } from './exec.js';
export type { ExecTarget, ExecTools } from './exec.js';
export { killTree } from './kill-tree.js';
export { connectToSandboxPort } from './sandbox-port.js';
export type { SandboxPort } from './sandbox-port.js';
