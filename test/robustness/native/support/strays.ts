import { readdir, readFile } from 'node:fs/promises';
import type { ContainerRecord, SandboxRecord } from '../../../../src/node/runtime/native/records.js';
import type { NodeHost } from '../../../../src/node/host.js';
import { run } from '../../../harness/executable.js';
import { mountPoints, processes } from './own-host.js';

const ID = /[0-9a-f]{64}/;
const POD = /pod([0-9a-f-]{36})/;

/**
 * What a node has on its host that no sandbox, container or pod of its records accounts for, and what runs more than once; a line for each. While pods come and
 * go there may be some for a moment; a node at rest has none. Containers that run twice are a line at any moment.
 */
export async function strays(host: NodeHost): Promise<readonly string[]> {
  const [sandboxes, containers] = await Promise.all([readRecords<SandboxRecord>(`${host.stateFolder}/sandboxes`, (name) => name), readRecords<ContainerRecord>(`${host.stateFolder}/containers`, (name) => `${name}/record.json`)]);
  const live = new Set(sandboxes.filter(({ state }) => state === 'ready').map(({ id }) => id));
  const running = new Map(containers.filter(({ state }) => state !== 'exited').map((record) => [record.id, record]));
  const pods = new Set(sandboxes.map(({ config }) => config.metadata.uid));
  const known = (id: string): boolean => live.has(id) || running.has(id);
  const found: string[] = [];

  const started = new Map<string, string>();
  for (const { id, podUid, config } of running.values()) {
    const key = `${podUid}/${config.name}`;
    if (started.has(key)) found.push(`${key} has two containers: ${id} and ${started.get(key)}`);
    started.set(key, id);
  }
  const monitors = new Map<string, number>();
  for (const { pid, parent, words, groups } of await processes()) {
    const program = words[0]!.slice(words[0]!.lastIndexOf('/') + 1);
    const id = program === 'conmon' && words.some((word) => word.startsWith(host.runFolder)) ? words[words.indexOf('--cid') + 1]! : undefined;
    // A monitor forks before it goes on alone, and again for each program that it starts in the container.
    if (id !== undefined && !words.includes('--exec-process-spec') && parent === 1) {
      if (monitors.has(id)) found.push(`container ${id} has two monitors: ${pid} and ${monitors.get(id)}`);
      monitors.set(id, pid);
      if (!known(id)) found.push(`monitor ${pid} of the unknown container ${id}`);
    }
    if (groups.includes(`${host.cgroup}/`) && !groups.includes(`${host.cgroup}/monitors`) && !known(ID.exec(groups)?.[0] ?? '')) found.push(`process ${pid} (${words.join(' ')}) in no known container`);
    if (program === 'kube-broker' && parent === 1) found.push(`broker ${pid} without its program`);
  }

  const folders = (await run('find', ['/sys/fs/cgroup', '-maxdepth', '5', '-path', `*${host.cgroup}/*`, '-type', 'd'])).stdout.split('\n');
  for (const folder of folders) {
    const id = ID.exec(folder)?.[0];
    const pod = POD.exec(folder)?.[1];
    if (id !== undefined ? !known(id) : pod !== undefined && !pods.has(pod)) found.push(`control group ${folder}`);
  }
  for (const path of await mountPoints()) {
    if (!path.startsWith(`${host.runFolder}/`) && !path.startsWith(`${host.stateFolder}/`)) continue;
    const id = ID.exec(path)?.[0];
    if (id !== undefined && !known(id)) found.push(`mount ${path}`);
  }
  for (const kind of ['s', 'b']) for (const id of await readdir(`${host.runFolder}/${kind}`)) if (!known(id)) found.push(`folder ${host.runFolder}/${kind}/${id}`);
  const links = JSON.parse((await run('ip', ['-j', 'link'])).stdout) as readonly { readonly ifname: string }[];
  for (const { ifname } of links) if (ifname.startsWith(host.interfacePrefix) && ![...live].some((id) => id.startsWith(ifname.slice(host.interfacePrefix.length)))) found.push(`interface ${ifname}`);
  return found;
}

async function readRecords<T>(folder: string, file: (name: string) => string): Promise<readonly T[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => ID.test(name) && !name.endsWith('.tmp'));
  const records = await Promise.all(names.map(async (name): Promise<T[]> => {
    const text = await readFile(`${folder}/${file(name)}`, 'utf8').catch(() => undefined);
    return text === undefined ? [] : [JSON.parse(text) as T];
  }));
  return records.flat();
}
