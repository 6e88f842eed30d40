// scripts/fuzz: what it is asked, the loop, the report.
import { fork } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Connection, unchunk } from '../bench-lib/connection.mjs';
import { readTarget } from '../bench-lib/target.mjs';
import { readManifests, setUp } from '../../test/differential/corpus.mjs';
import { Dice } from './random.mjs';
import { everyHuge } from './huge.mjs';
import { Requests } from './requests.mjs';

const HELP = `scripts/fuzz [--seconds N] [--requests N] [--seed N] [--findings FILE] [--huge [--only TEXT]] [--profile]

Sends random nonsense that is derived from good requests (bodies in JSON, YAML and protobuf, patches, applies, selectors, paths, definitions of
custom resources and their objects) to an API server of its own, in memory. A finding is an answer of 500 or more (but those that the reference
gives too: 504 for a resource version that has not come yet, 500 without a reason for an apply whose fields do not fit the schema), no answer at all, a server that ended, or an event loop that stood still for more than 100 ms
(without the time in which other programs had the processors).
--huge sends bodies of up to 3 MB of every shape, one after the other, instead: many keys, long lists, big patches. --only: those whose name contains TEXT.
--profile: findings of stalls tell which functions the time went to.
Ends with code 1 when there were findings. The same seed sends the same requests. Needs dist/ (npm run build).`;
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, requests: { type: 'string' }, seed: { type: 'string', default: '1' }, findings: { type: 'string', default: '.cache/fuzz-findings.jsonl' }, huge: { type: 'boolean', default: false }, only: { type: 'string', default: '' }, profile: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } });
const CONNECTIONS = 6;
const ANSWER_MILLISECONDS = 60_000;
const MAX_FINDINGS = 200;
/** Between two huge requests. */
const SETTLE_MILLISECONDS = 50;

async function main() {
  if (values.help) return void console.log(HELP);
  const folder = await mkdtemp(join(tmpdir(), 'kube-fuzz-'));
  await mkdir('.cache', { recursive: true });
  await rm(values.findings, { force: true });
  const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)), values.profile ? ['--profile'] : [], { execArgv: ['--enable-source-maps'] });
  try {
    process.exitCode = (await run(server, folder)) ? 0 : 1;
  } finally {
    server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(server, folder) {
  const ready = await new Promise((resolve, reject) => {
    server.once('message', resolve);
    server.once('exit', (code) => reject(new Error(`the server ended with code ${code}`)));
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, ready.kubeconfig, { mode: 0o600 });
  const target = await readTarget(kubeconfig, 'fuzz');
  const manifests = readManifests(fileURLToPath(new URL('../../test/differential/manifests.yaml', import.meta.url)));
  const requests = new Requests(new Dice(Number(values.seed)), manifests.filter(({ absent }) => !absent), await seed(target, manifests));
  const report = new Report(server);
  if (values.huge) return huge(report, target);
  const end = Date.now() + Number(values.seconds) * 1000;
  const most = Number(values.requests ?? Infinity);
  const work = async () => {
    let connection;
    while (Date.now() < end && report.sent < most && !report.over) {
      const request = requests.next();
      connection ??= await Connection.open(target).catch(() => undefined);
      if (!connection) return;
      if (!(await report.send(connection, target, request))) connection = undefined;
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return report.finish();
}

/** One after the other: a stall is then of the request that was sent last. */
async function huge(report, target) {
  let connection;
  for (const request of everyHuge(values.only)) {
    if (report.over) break;
    connection ??= await Connection.open(target);
    if (!(await report.send(connection, target, { ...request, body: request.body === undefined ? undefined : Buffer.from(request.body) }))) connection = undefined;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS));
  }
  connection?.close();
  return report.finish();
}

/** Creates the seeds and reads them back in protobuf. */
async function seed(target, manifests) {
  const connection = await Connection.open(target);
  const wire = [];
  for (const { method, path, body, manifest } of setUp(manifests)) {
    await connection.request(bytesOf(target, { method, path, headers: { contentType: 'application/json' }, body: Buffer.from(JSON.stringify(body)) }));
    if (!manifest || !body.metadata?.name) continue;
    const at = `${path}/${body.metadata.name}`;
    const answer = await connection.request(bytesOf(target, { method: 'GET', path: at, headers: { accept: 'application/vnd.kubernetes.protobuf' } }));
    if (answer.status === 200) wire.push({ path: at, bytes: Buffer.from(unchunk(answer.body)) });
  }
  connection.close();
  return wire;
}

function bytesOf(target, { method, path, headers, body }) {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${target.host}:${target.port}`];
  if (headers.accept) lines.push(`Accept: ${headers.accept}`);
  if (target.token) lines.push(`Authorization: Bearer ${target.token}`);
  if (headers.contentType && body) lines.push(`Content-Type: ${headers.contentType}`);
  if (body) lines.push(`Content-Length: ${body.length}`);
  else if (method !== 'GET' && method !== 'HEAD') lines.push('Content-Length: 0');
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

/** Counts, judges and writes down. */
class Report {
  sent = 0;
  over = false;
  #findings = 0;
  #codes = new Map();
  #recent = [];
  #server;

  constructor(server) {
    this.#server = server;
    server.on('message', (message) => {
      if (message.stall) this.#find('stall', { milliseconds: Math.round(message.stall), busy: Math.round(message.busy), collected: Math.round(message.collected), where: message.where, inFlight: this.#recent.filter(({ began, ended }) => began <= message.from + message.stall && (ended ?? Infinity) >= message.from - 20).map(({ request }) => told(request)) });
    });
    server.once('exit', (code, signal) => {
      if (!this.finishing) this.#find('the server ended', { code, signal, last: this.#recent.slice(-20).map(({ request }) => told(request)) });
      this.over = true;
    });
  }

  /** False when the connection is of no use any more. */
  async send(connection, target, request) {
    this.sent++;
    const record = { request, began: Date.now(), ended: undefined };
    this.#recent.push(record);
    if (this.#recent.length > 400) this.#recent.shift();
    let timer;
    // The answer to HEAD has no body that its length speaks of.
    if (request.method === 'HEAD') request = { ...request, method: 'GET' };
    try {
      const answer = await Promise.race([
        connection.request(bytesOf(target, request)),
        new Promise((_, reject) => {
          timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_MILLISECONDS);
        }),
      ]);
      const kind = `${request.kind} ${answer.status}`;
      this.#codes.set(kind, (this.#codes.get(kind) ?? 0) + 1);
      if (answer.status >= 500 && !expected(answer)) this.#find(`answer ${answer.status}`, { request: told(request), body: unchunk(answer.body).toString('utf8').slice(0, 1000) });
      return !/\r\nconnection: *close/i.test(answer.headers);
    } catch (error) {
      // Upgrades and paths that are no HTTP may be hung up on.
      if (request.kind !== 'path' && !this.over) this.#find(error.message, { request: told(request) });
      connection.close();
      return false;
    } finally {
      clearTimeout(timer);
      record.ended = Date.now();
    }
  }

  async finish() {
    this.finishing = true;
    if (!this.over) {
      const memory = new Promise((resolve) => this.#server.on('message', (message) => message.memory && resolve(message.memory)));
      this.#server.send('stop');
      const { rss } = await memory;
      console.log(`memory of the server at the end: ${Math.round(rss / 1e6)} MB`);
    }
    console.log([...this.#codes].sort().map(([kind, count]) => `${kind}: ${count}`).join('\n'));
    console.log(`${this.sent} requests, ${this.#findings} findings${this.#findings ? ` in ${values.findings}` : ''}`);
    return this.#findings === 0;
  }

  #find(what, detail) {
    this.#findings++;
    if (this.#findings >= MAX_FINDINGS) this.over = true;
    void appendFile(values.findings, `${JSON.stringify({ what, ...detail })}\n`);
  }
}

const told = ({ name, method, path, headers, body }) => ({ ...(name === undefined ? {} : { name }), method, path: path.slice(0, 2000), ...headers, body: body && (/protobuf/.test(headers.contentType ?? '') ? body.toString('base64') : body.toString('utf8')).slice(0, 6000) });

/** A resource version that has not come yet is waited for, then refused with 504; upstream's apply answers 500 when fields do not fit the schema. */
function expected({ status, body }) {
  const text = body.toString('utf8');
  return (status === 504 && /Too large resource version/.test(text)) || (status === 500 && /failed to (create typed patch object|convert new object)/.test(text) && !/Internal error/.test(text));
}

await main();
