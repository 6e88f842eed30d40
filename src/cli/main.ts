import { runCli } from './run-cli.js';

const interrupted = new AbortController();
let signals = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted.abort();
    // Somebody who presses Ctrl-C three times wants it to end now.
    if (++signals >= 3) process.exit(130);
  });
}
// A reader that went away (`kube status | head -1`) is no reason for a stack trace.
process.stdout.on('error', () => undefined);

const exitCode = await runCli({
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  environment: process.env,
  interrupted: interrupted.signal,
  argv: process.argv.slice(2),
});
process.stdout.write('', () => process.exit(exitCode));
