import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { errorMessage } from '../../base/errors.js';
import type { ApiRequest } from '../handler/api-request.js';
import type { CustomHandler } from '../handler/subresource.js';
import type { ServerContext } from '../server-context.js';
import { openAgentSocket } from './agent-socket.js';
import { admitConnect, switchParam } from './connect-admission.js';
import { linkChannels } from './link-channels.js';
import type { NodeEndpoint } from './node-endpoint.js';
import { podEndpoint, requestedContainer, requestedPod, requireCreate } from './pod-target.js';
import { CHANNEL_PROTOCOLS, codingOf, ERROR_CHANNEL, errorText, listedIn, SPDY_PROTOCOLS, upgradeKind } from './protocols.js';
import { serveSpdyCommand } from './spdy-command.js';
import { acceptSpdy, refuseProtocols, refuseUpgrade } from './upgrade-response.js';

interface Command {
  readonly endpoint: NodeEndpoint;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** `pods/exec` and `pods/attach`: the client speaks WebSocket or SPDY, the agent WebSocket. */
export function remoteCommandHandler(context: ServerContext, kind: 'exec' | 'attach'): CustomHandler {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024, handleProtocols: (offered) => CHANNEL_PROTOCOLS.find((name) => offered.has(name)) ?? false });
  return {
    path: `/pods/${kind}`,
    verbs: ['get', 'create'],
    async handle(request) {
      const options = await admitConnect(context, request, kind === 'exec' ? 'PodExecOptions' : 'PodAttachOptions', optionsOf(request.query, kind));
      await requireCreate(context, request);
      const command = commandOf(context, request, kind, options);
      return {
        type: 'upgrade',
        upgrade: {
          handle(message, socket, head) {
            void serve(context, sockets, command, message, socket, head).catch((error: unknown) => {
              context.log.debug('stream not opened', { path: request.info.path, error: errorMessage(error) });
              refuseUpgrade(socket, error);
            });
          },
        },
      };
    },
  };
}

/** `PodExecOptions` and `PodAttachOptions`. */
interface CommandOptions {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
  readonly container?: string;
  readonly command?: readonly string[];
}

const SWITCHES = ['stdin', 'stdout', 'stderr', 'tty'] as const;
/** How the agent calls them. */
const AGENT_SWITCHES = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

function optionsOf(query: URLSearchParams, kind: 'exec' | 'attach'): CommandOptions {
  const container = query.get('container') ?? '';
  const command = kind === 'exec' ? query.getAll('command') : [];
  return {
    ...Object.fromEntries(SWITCHES.filter((name) => switchParam(query, name)).map((name) => [name, true])),
    ...(container === '' ? {} : { container }),
    ...(command.length === 0 ? {} : { command }),
  };
}

function commandOf(context: ServerContext, request: ApiRequest, kind: 'exec' | 'attach', options: CommandOptions): Command {
  const pod = requestedPod(context, request);
  const container = requestedContainer(pod, options.container ?? '');
  const query = new URLSearchParams();
  for (const name of SWITCHES) if (options[name] === true) query.set(AGENT_SWITCHES[name], '1');
  if (kind === 'exec') for (const word of options.command ?? []) query.append('command', word);
  const { namespace, name } = request.info;
  return { endpoint: podEndpoint(context, pod), path: `/${kind}/${[namespace, name, container].map(encodeURIComponent).join('/')}`, query };
}

async function serve(context: ServerContext, sockets: WebSocketServer, command: Command, message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const spdy = upgradeKind(message) === 'spdy';
  const offered = listedIn(message, 'x-stream-protocol-version');
  const protocol = offered.length === 0 ? undefined : SPDY_PROTOCOLS.find((name) => offered.includes(name));
  if (spdy && offered.length > 0 && protocol === undefined) return refuseProtocols(socket, SPDY_PROTOCOLS);
  const agent = await openAgentSocket(command.endpoint, command.path, command.query);
  if (socket.destroyed) return agent.terminate();
  if (spdy) {
    acceptSpdy(socket, protocol);
    return serveSpdyCommand(socket, head, agent, command.query, protocol ?? 'channel.k8s.io', context.clock);
  }
  sockets.handleUpgrade(message, socket, head, (client) =>
    linkChannels(client, codingOf(client.protocol), agent, codingOf(agent.protocol), context.clock, (channel, bytes) => {
      if (channel !== ERROR_CHANNEL) return bytes;
      const text = errorText(bytes, client.protocol);
      return text.length === 0 ? undefined : text;
    }));
}
