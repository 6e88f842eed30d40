// The second half of scripts/start: starts the cluster, or finds it running, and prints the next steps.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { toolsFolder } from './tools.mjs';

const kube = fileURLToPath(new URL('../../bin/kube', import.meta.url));
const given = process.argv.slice(2);
const dataDir = valueOf('--data-dir');

const run = (args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [kube, ...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });

const place = dataDir ? ['--data-dir', dataDir] : [];
const status = JSON.parse((await run(['status', '-o', 'json', ...place])).stdout || '{}');
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
  console.log(`Kubernetes is ready after ${ready.startupMilliseconds} ms: ${ready.server}`);
}
const kubectl = `${await toolsFolder(35)}/kubectl`;
console.log(`
Try next:
  export KUBECONFIG=${kubeconfig}
  alias kubectl=${kubectl}        # or your own kubectl
  kubectl get nodes
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods --watch

When you are done:
  ${kube} stop${place.length ? ` ${place.join(' ')}` : ''}             # the cluster keeps its data
  ${kube} reset --yes${place.length ? ` ${place.join(' ')}` : ''}      # removes everything`);

function valueOf(flag) {
  const at = given.findIndex((argument) => argument === flag || argument.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return given[at].includes('=') ? given[at].slice(flag.length + 1) : given[at + 1];
}
