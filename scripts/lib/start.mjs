// The second half of scripts/start: starts the cluster, or finds it running, and prints the next steps.
import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { toolsFolder } from './tools.mjs';

const kube = fileURLToPath(new URL('../../bin/kube', import.meta.url));
const given = process.argv.slice(2);
if (given.includes('--help') || given.includes('-h')) {
  console.log('scripts/start starts a cluster in the background. It takes the flags of:\n');
  process.exit(spawnSync(process.execPath, [kube, 'run', 'all', '--help'], { stdio: 'inherit' }).status ?? 1);
}
let dataDir = valueOf('--data-dir');

const run = (args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [kube, ...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });

const place = () => (dataDir ? ['--data-dir', dataDir] : []);
// A configuration file may name a data directory of its own; only the start itself knows it then.
const status = valueOf('--config') && !dataDir ? {} : JSON.parse((await run(['status', '-o', 'json', ...place()])).stdout || '{}');
let kubeconfig = status.kubeconfig;
if (status.state === 'running') {
  console.log(`The cluster runs already: ${status.server} (pid ${status.pid})`);
} else {
  const { code, stdout, stderr } = await run(['run', 'all', '--detach', '-o', 'json', ...given]);
  if (code !== 0) {
    process.stderr.write(stderr);
    process.exit(code);
  }
  const ready = JSON.parse(stdout);
  kubeconfig = ready.kubeconfig;
  if (valueOf('--config')) dataDir = ready.dataDir;
  if (ready.containerRuntimeReason) console.log(`Pods are simulated: ${ready.containerRuntimeReason}`);
  console.log(`Kubernetes is ready after ${ready.startupMilliseconds} ms: ${ready.server}`);
}
const where = place().map((word) => ` ${word}`).join('');
const kubectl = `${await toolsFolder(35)}/kubectl`;
console.log(`
Try next:
  export KUBECONFIG=${kubeconfig}
  alias kubectl=${kubectl}        # or your own kubectl
  kubectl get nodes
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods --watch

When you are done:
  ${kube} stop${where}             # the cluster keeps its data
  ${kube} reset --yes${where}      # removes everything`);

function valueOf(flag) {
  const at = given.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return given[at].includes('=') ? given[at].slice(flag.length + 1) : given[at + 1];
}
