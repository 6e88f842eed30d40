#!/usr/bin/env node
// node test/differential/access/record-attempts.mjs --kubeconfig FILE
// Makes every attempt of attempts.yaml on a fresh reference cluster that knows the tokens of attempt-request.mjs, and writes code and
// message of the answers to attempt-answers.json beside this file.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { CORE_SCHEMA, load } from 'js-yaml';
import { once, readTarget } from '../../../scripts/bench-lib/target.mjs';
import { attemptRequest, completed } from './attempt-request.mjs';
import { collectionOf } from './set-up.mjs';

const option = (name) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const read = (name) => load(readFileSync(new URL(name, import.meta.url), 'utf8'), { schema: CORE_SCHEMA });
const target = await readTarget(option('kubeconfig'), 'reference');

for (const object of read('attempts-set-up.yaml').map(completed)) {
  const { status, body } = await once(target, 'POST', collectionOf(object), object);
  if (status !== 201 && status !== 409) throw new Error(`${object.kind} ${object.metadata.name}: ${JSON.stringify(body)}`);
}
await new Promise((resolve) => setTimeout(resolve, 3000));

/** Sends lines as they are, without a library that would mend them. */
function send({ method, path, headers, text = '' }) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const socket = connect({ host: target.host, port: target.port, rejectUnauthorized: false }, () => {
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${target.host}\r\nConnection: close\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`);
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    setTimeout(() => socket.destroy(new Error('no answer')), 10_000).unref();
  });
}

const answers = {};
for (const attempt of read('attempts.yaml')) {
  const answer = await send(attemptRequest(attempt));
  const code = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(answer)?.[1] ?? '';
  answers[attempt.name] = [code, JSON.parse(`"${message}"`)];
  if (code < 300) console.error(`${attempt.name}: ${code}`);
}
writeFileSync(new URL('attempt-answers.json', import.meta.url), `${JSON.stringify(answers, undefined, 0).replaceAll('],"', '],\n"')}\n`);
