import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.js';
import { ChannelSocket, type ChannelCoding } from '../../base/websocket/channels.js';

/** How long a client gets to be ready for output. */
const SETTLE_MILLISECONDS = 10;

/**
 * Joins the channels of two WebSockets, each with its own coding, until one of them closes. The agent's must be paused. Only
 * clients close single channels; they do not expect it from this side. What the agent sends passes through `translate`; undefined: it is left out.
 */
export function linkChannels(client: WebSocket, clientCoding: ChannelCoding, agent: WebSocket, agentCoding: ChannelCoding, clock: Clock, translate: (channel: number, bytes: Buffer) => Buffer | undefined = (_channel, bytes) => bytes): void {
  const forward = (from: () => ChannelSocket, to: () => ChannelSocket, ends: boolean): ConstructorParameters<typeof ChannelSocket>[2] => ({
    data(channel, bytes) {
      const sent = ends ? bytes : translate(channel, bytes);
      if (sent === undefined) return;
      from().pause();
      void to().send(channel, sent).then(() => from().resume());
    },
    end: (channel) => void (ends && to().endChannel(channel)),
    close: () => to().close(),
  });
  const agentSide: ChannelSocket = new ChannelSocket(agent, agentCoding, forward(() => agentSide, () => clientSide, false));
  const clientSide: ChannelSocket = new ChannelSocket(client, clientCoding, forward(() => clientSide, () => agentSide, true));
  // kubectl drops what comes before it has made its streams, just after the handshake.
  clock.setTimeout(() => agent.resume(), SETTLE_MILLISECONDS);
}
