import type { WebSocket } from 'ws';
import { ChannelSocket, type ChannelCoding } from '../../base/websocket/channels.js';

/** Joins the channels of two WebSockets, each with its own coding, until one of them closes. The agent's must be paused. */
export function linkChannels(client: WebSocket, clientCoding: ChannelCoding, agent: WebSocket, agentCoding: ChannelCoding): void {
  const forward = (from: () => ChannelSocket, to: () => ChannelSocket): ConstructorParameters<typeof ChannelSocket>[2] => ({
    data(channel, bytes) {
      from().pause();
      void to().send(channel, bytes).then(() => from().resume());
    },
    end: (channel) => void to().endChannel(channel),
    close: () => to().close(),
  });
  const agentSide: ChannelSocket = new ChannelSocket(agent, agentCoding, forward(() => agentSide, () => clientSide));
  const clientSide: ChannelSocket = new ChannelSocket(client, clientCoding, forward(() => clientSide, () => agentSide));
  agent.resume();
}
