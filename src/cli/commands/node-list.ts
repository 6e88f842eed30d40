import { loadNodeList } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { dataDirectory, print } from '../output.js';
import { table } from '../table.js';

/** `kube node list`. */
export async function nodeList(input: CommandInput): Promise<number> {
  const listNodes = await loadNodeList();
  const result = await listNodes(dataDirectory(input));
  print(input, result, ({ nodes }) =>
    table(['NAME', 'READY', 'ADDRESS', 'RUNTIME', 'PODS', 'VERSION'], nodes.map((node) => [node.name, node.ready ? 'yes' : 'no', node.address ?? '', node.containerRuntime, `${node.pods}/${node.podCapacity}`, node.version])));
  return 0;
}
