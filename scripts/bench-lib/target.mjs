// A server under test, from a kubeconfig.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import { Connection, requestBytes, unchunk } from './connection.mjs';

/** Reads host, port and credentials of a kubeconfig's current context. */
export async function readTarget(kubeconfig, label) {
  const config = load(await readFile(kubeconfig, 'utf8'), { schema: CORE_SCHEMA });
  const context = config.contexts.find((entry) => entry.name === config['current-context']).context;
  const cluster = config.clusters.find((entry) => entry.name === context.cluster).cluster;
  const user = config.users.find((entry) => entry.name === context.user).user;
  const pem = async (data, file) => (data ? Buffer.from(data, 'base64').toString() : file ? readFile(resolve(dirname(kubeconfig), file), 'utf8') : undefined);
  const url = new URL(cluster.server);
  return {
    label,
    kubeconfig,
    host: url.hostname,
    port: Number(url.port || 443),
    ca: await pem(cluster['certificate-authority-data'], cluster['certificate-authority']),
    cert: await pem(user['client-certificate-data'], user['client-certificate']),
    key: await pem(user['client-key-data'], user['client-key']),
    token: user.token,
  };
}

/** One request on a connection of its own; gives { status, body } with the body as an object when it is JSON. */
export async function once(target, method, path, body, headers) {
  const connection = await Connection.open(target);
  try {
    const { status, body: bytes } = await connection.request(requestBytes(target, method, path, body, headers));
    let object;
    try {
      object = JSON.parse(unchunk(bytes).toString());
    } catch {
      object = undefined;
    }
    return { status, body: object };
  } finally {
    connection.close();
  }
}

/**
 * `total` requests by `clients` connections as fast as answers come. `make(i)` gives the bytes of request i. Throws
 * when an answer has another status than `expected`.
 */
export async function hammer(target, clients, total, expected, make) {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(target)));
  let next = 0;
  const latencies = [];
  const begin = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (next < total) {
        const bytes = make(next++);
        const sent = performance.now();
        const { status, body } = await connection.request(bytes);
        latencies.push(performance.now() - sent);
        if (status !== expected) throw new Error(`${target.label}: expected ${expected}, got ${status}: ${body.toString().slice(0, 300)}`);
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  return { perSecond: total / seconds, p50: latencies[Math.floor(total * 0.5)], p99: latencies[Math.floor(total * 0.99)] };
}
