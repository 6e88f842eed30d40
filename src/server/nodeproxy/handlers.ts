import type { CustomHandler } from '../handler/subresource.js';
import type { ServerContext } from '../server-context.js';
import { podLogHandler } from './pod-log.js';
import { portForwardHandler } from './port-forward.js';
import { proxyHandlers } from './proxy-handlers.js';
import { remoteCommandHandler } from './remote-command.js';

/** Everything that the server passes on to node agents, pods and services: logs, streams, proxies. */
export function nodeProxyHandlers(context: ServerContext): CustomHandler[] {
  return [
    podLogHandler(context),
    remoteCommandHandler(context, 'exec'),
    remoteCommandHandler(context, 'attach'),
    portForwardHandler(context),
    ...proxyHandlers(context),
  ];
}
