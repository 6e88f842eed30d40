import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { badRequestError } from '../../api/status-error.js';
import { errorMessage } from '../../base/errors.js';
import { SpdyConnection } from '../../base/spdy/index.js';
import { messageDuplex } from '../../base/websocket/message-duplex.js';
import type { CustomHandler } from '../handler/subresource.js';
import type { ServerContext } from '../server-context.js';
import { openAgentSocket } from './agent-socket.js';
import { admitConnect } from './connect-admission.js';
import { linkChannels } from './link-channels.js';
import { podEndpoint, requestedPod, requireCreate } from './pod-target.js';
import { CHANNEL_PROTOCOLS, codingOf, listedIn, PORT_FORWARD_PROTOCOL, TUNNEL_PROTOCOL, upgradeKind } from './protocols.js';
import { forwardStreams, type OpenPort } from './spdy-port-forward.js';
import { acceptSpdy, refuseProtocols, refuseUpgrade } from './upgrade-response.js';

/** `PodPortForwardOptions`. Throws a 400 `Status` for what is no port. */
function portsOf(query: URLSearchParams): { readonly ports?: readonly number[] } {
  const ports = query.getAll('ports').flatMap((text) => text.split(',')).map((text) => {
    if (!/^[-+]?\d+$/.test(text)) throw badRequestError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  });
  return ports.length === 0 ? {} : { ports };
}

/** `pods/portforward`: SPDY, SPDY inside a WebSocket, or a WebSocket with two channels per port. */
export function portForwardHandler(context: ServerContext): CustomHandler {
  const settings = { noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 } as const;
  const sockets = new WebSocketServer({ ...settings, handleProtocols: (offered) => CHANNEL_PROTOCOLS.find((name) => offered.has(name)) ?? false });
  const tunnels = new WebSocketServer(settings);
  tunnels.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${TUNNEL_PROTOCOL}`));
  return {
    path: '/pods/portforward',
    verbs: ['get', 'create'],
    async handle(request) {
      const options = await admitConnect(context, request, 'PodPortForwardOptions', portsOf(request.query));
      await requireCreate(context, request);
      const pod = requestedPod(context, request);
      const endpoint = podEndpoint(context, pod);
      const { namespace, name } = request.info;
      const path = `/portForward/${[namespace, name].map(encodeURIComponent).join('/')}`;
      const open: OpenPort = (port) => openAgentSocket(endpoint, path, new URLSearchParams({ port: String(port) }));
      const ports = (options.ports ?? []).join(',');

      const serve = async (message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
        if (upgradeKind(message) === 'spdy') {
          const offered = listedIn(message, 'x-stream-protocol-version');
          if (offered.length > 0 && !offered.includes(PORT_FORWARD_PROTOCOL)) return refuseProtocols(socket, [PORT_FORWARD_PROTOCOL]);
          acceptSpdy(socket, offered.length > 0 ? PORT_FORWARD_PROTOCOL : undefined);
          return forwardStreams(new SpdyConnection(socket, 'server', head), open);
        }
        if (listedIn(message, 'sec-websocket-protocol').includes(TUNNEL_PROTOCOL)) {
          // The name has a slash, which is no token: the library would refuse it, and so must not see it.
          delete message.headers['sec-websocket-protocol'];
          tunnels.handleUpgrade(message, socket, head, (client) => forwardStreams(new SpdyConnection(messageDuplex(client), 'server'), open));
          return;
        }
        if (ports === '') throw badRequestError('query parameter "ports" is required');
        const agent = await openAgentSocket(endpoint, path, new URLSearchParams({ port: ports }));
        sockets.handleUpgrade(message, socket, head, (client) => linkChannels(client, codingOf(client.protocol), agent, codingOf(agent.protocol), context.clock));
      };
      return {
        type: 'upgrade',
        upgrade: {
          handle(message, socket, head) {
            void serve(message, socket, head).catch((error: unknown) => {
              context.log.debug('port forwarding not opened', { path: request.info.path, error: errorMessage(error) });
              refuseUpgrade(socket, error);
            });
          },
        },
      };
    },
  };
}
