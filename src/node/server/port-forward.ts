import type { WebSocket } from 'ws';
import { errorMessage } from '../../base/errors.js';
import { ChannelSocket, type ChannelCoding } from '../../base/websocket/channels.js';
import { readPodView } from '../status/runtime-view.js';
import type { PortConnection } from '../runtime/index.js';
import { HttpError, requirePod, type PodDirectory } from './pod-directory.js';

/** Ports that a path `/portForward/<namespace>/<pod>` names in its query. Throws an {@link HttpError}. */
export function forwardedPorts(query: URLSearchParams): readonly number[] {
  const texts = query.getAll('port').flatMap((text) => text.split(','));
  if (texts.length === 0) throw new HttpError(400, 'query parameter "port" is required');
  return texts.map((text) => {
    const port = Number(text);
    if (!/^\d+$/.test(text) || port > 65535) throw new HttpError(400, `unable to parse "${text}" as a port`);
    if (port < 1) throw new HttpError(400, `port "${text}" must be > 0`);
    return port;
  });
}

/** Where ports are forwarded to. */
export interface ForwardTarget {
  /** The pod's sandbox, which failures name. */
  readonly sandboxId: string;
  connect(port: number): Promise<PortConnection>;
}

/** The sandbox of a pod, to connect to its ports. */
export async function forwardTarget(directory: PodDirectory, namespace: string, podName: string): Promise<ForwardTarget> {
  const { pod, node } = requirePod(directory, namespace, podName);
  const view = await readPodView(node.runtime.containers, pod.metadata?.uid ?? '');
  const sandbox = view.readySandbox;
  if (!sandbox) throw new HttpError(404, `pod not found ("${podName}_${namespace}")`);
  return { sandboxId: sandbox.id, connect: (port) => node.runtime.containers.portForward(sandbox.id, port) };
}

/**
 * Serves port forwarding over a WebSocket: two channels per port, data (2n) and error (2n + 1), each of which begins with the
 * port as a little-endian 16-bit number.
 */
export async function servePortForward(socket: WebSocket, coding: ChannelCoding, ports: readonly number[], target: ForwardTarget): Promise<void> {
  const connections: (PortConnection | undefined)[] = ports.map(() => undefined);
  const early = ports.map((): Buffer[] => []);
  const ended = ports.map(() => false);
  const channels = new ChannelSocket(socket, coding, {
    data(channel, bytes) {
      const index = channel >> 1;
      if ((channel & 1) === 1 || index >= ports.length) return;
      const connection = connections[index];
      if (!connection) early[index]!.push(bytes);
      else if (!connection.writableEnded && !connection.write(bytes)) {
        channels.pause();
        connection.once('drain', () => channels.resume());
      }
    },
    end(channel) {
      if ((channel & 1) === 1) return;
      ended[channel >> 1] = true;
      connections[channel >> 1]?.end();
    },
    close() {
      for (const connection of connections) connection?.destroy();
    },
  });
  await Promise.all(
    ports.map(async (port, index) => {
      const prefix = Buffer.alloc(2);
      prefix.writeUInt16LE(port);
      await channels.send(2 * index, prefix);
      await channels.send(2 * index + 1, prefix);
      try {
        const connection = await target.connect(port);
        connections[index] = connection;
        connection.on('error', () => undefined);
        for (const bytes of early[index]!.splice(0)) connection.write(bytes);
        if (ended[index]) connection.end();
        for await (const chunk of connection) if (!(await channels.send(2 * index, chunk as Buffer))) break;
      } catch (error) {
        await channels.send(2 * index + 1, Buffer.from(`error forwarding port ${port} to pod ${target.sandboxId}, uid : ${errorMessage(error)}`));
      }
      await channels.endChannel(2 * index);
      await channels.endChannel(2 * index + 1);
    }),
  );
  channels.close();
}
