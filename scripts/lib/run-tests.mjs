// The second half of scripts/test: runs the checks and the suites one after the other and sums up.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { toolsFolder } from './tools.mjs';

const fast = process.argv[2] === 'fast';
/**
 * Steps one after the other; suites of one step at the same time. Clusters with simulated pods do not mind others beside them; end-to-end tests with real containers have
 * the machine to themselves.
 */
const all = [
  { name: 'unit', project: 'unit', args: [] },
  { name: 'integration', project: 'integration', args: [] },
  { name: 'real', project: 'real', args: ['--runInBand'] },
  { name: 'e2e', project: 'e2e', args: ['--maxWorkers', '2', '--testPathIgnorePatterns', '/e2e/(native/|images)'] },
  { name: 'e2e-native', project: 'e2e', args: ['--runInBand', '--testPathPatterns', '/e2e/(native/|images)'] },
  // These wait most of the time, and their comparisons of the host leave out what others' clusters do.
  [
    { name: 'robustness', project: 'robustness', args: ['--runInBand', '--testPathIgnorePatterns', '/robustness/native/'] },
    { name: 'robustness-native', project: 'robustness', args: ['--runInBand', '--testPathPatterns', '/robustness/native/'] },
  ],
];
const steps = fast ? all.slice(0, 2) : all;

/** After a suite has written its report it ends, or something in it was left behind that keeps it alive. */
const END_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 1000;

/** The exit code; `report`: a file that is written at the end. */
const run = (command, args, env = {}, report = undefined) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    let written;
    const timer = setInterval(() => {
      if (report && existsSync(report)) written ??= Date.now();
      if (written && Date.now() - written > END_MILLISECONDS) {
        console.error(`FAILED: ${command} ${args.join(' ')} does not end`);
        child.kill('SIGKILL');
      }
    }, LOOK_MILLISECONDS);
    child.on('exit', (code) => {
      clearInterval(timer);
      resolve(code ?? 1);
    });
  });

let failed = 0;
let passed = 0;
const count = (ok, what) => {
  if (ok) passed++;
  else {
    failed++;
    console.error(`FAILED: ${what}`);
  }
};

count((await run('npm', ['run', '--silent', 'verify'])) === 0, 'npm run verify');
if (!fast) await Promise.all([toolsFolder(35), toolsFolder(32)]);

await mkdir('.cache', { recursive: true });
for (const step of steps) await Promise.all([step].flat().map(runSuite));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function runSuite({ name, project, args }) {
  const report = `.cache/${name}.json`;
  await rm(report, { force: true });
  const code = await run(process.execPath, ['node_modules/jest/bin/jest.js', `--selectProjects=${project}`, '--json', '--outputFile', report, '--silent', ...args], {
    NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
    ...(fast ? {} : { KUBE_CORPUS: 'all' }),
  }, report);
  const result = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  passed += result.numPassedTests ?? 0;
  failed += result.numFailedTests ?? 0;
  // A suite that could not even start counts as a failure, and so does a skipped test: a skip is no pass.
  failed += result.numRuntimeErrorTestSuites ?? 0;
  if (result.numPendingTests) {
    failed += result.numPendingTests;
    console.error(`FAILED: ${result.numPendingTests} skipped tests in ${name}`);
  }
  if (code !== 0 && !result.numFailedTests && !result.numRuntimeErrorTestSuites) count(false, `the ${name} suite ended with code ${code}`);
  if (!result.numTotalTests) count(false, `the ${name} suite ran no test`);
}
