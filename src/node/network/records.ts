import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, KubeError } from '../../base/errors.js';
import { makeFolder, readIfPresent } from '../../base/files.js';
import type { Bandwidth } from './bandwidth.js';
import type { CniAttachment } from './cni/chain.js';
import type { HostPort } from './host-ports.js';
import { NETWORK_FAILED } from './options.js';

/** What a sandbox has of the network. */
export interface NetworkRecord {
  readonly sandboxId: string;
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly namespacePath: string;
  /** Primary first; empty while CNI plugins are at work. */
  readonly ips: readonly string[];
  /** Absent where CNI plugins made it. */
  readonly veth?: { readonly interfaceName: string; readonly hostMac: string; readonly podMac: string };
  readonly hostPorts: readonly HostPort[];
  readonly bandwidth: Bandwidth;
  /** What has to be told to the plugins when it ends. */
  readonly cni?: CniAttachment;
}

const SUFFIX = '.json';
const LAST_ADDRESS = 'last-address';

/**
 * The records of one cluster in a folder, a small file each. Files are replaced as a whole, without waiting for the disk: they have to survive the
 * end of a process; when the machine ends, so do the sandboxes.
 */
export class RecordFolder {
  private writes = 0;

  constructor(private readonly folder: string) {}

  /** All records; files that are none are left out, and removed with `clean`, which only the one that writes here may say, and which makes the folder. Empty when it does not exist. */
  async load(options: { readonly clean: boolean } = { clean: false }): Promise<{ readonly records: NetworkRecord[]; readonly lastAddress?: string }> {
    if (options.clean) await makeFolder(this.folder);
    const records: NetworkRecord[] = [];
    let lastAddress: string | undefined;
    for (const name of await names(this.folder)) {
      const path = join(this.folder, name);
      if (name === LAST_ADDRESS) lastAddress = (await readIfPresent(path))?.trim() || undefined;
      else if (name.endsWith(SUFFIX)) {
        const record = parse((await readIfPresent(path)) ?? '');
        if (record) records.push(record);
        else if (options.clean) await rm(path, { force: true });
      } else if (options.clean && name.endsWith('.tmp')) await rm(path, { force: true });
    }
    return { records, ...(lastAddress === undefined ? {} : { lastAddress }) };
  }

  async save(record: NetworkRecord): Promise<void> {
    await this.replace(fileName(record.sandboxId), JSON.stringify(record));
  }

  async remove(sandboxId: string): Promise<void> {
    await rm(join(this.folder, fileName(sandboxId)), { force: true });
  }

  async saveLastAddress(address: string): Promise<void> {
    await this.replace(LAST_ADDRESS, address);
  }

  private async replace(name: string, content: string): Promise<void> {
    const path = join(this.folder, name);
    const temporary = `${path}.${this.writes++}.tmp`;
    await writeFile(temporary, content, { mode: 0o600 });
    await rename(temporary, path);
  }
}

/** Folder of the records of a node. */
export function recordFolder(stateFolder: string): string {
  return join(stateFolder, 'network');
}

function fileName(sandboxId: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(sandboxId)) throw new KubeError(NETWORK_FAILED, `sandbox id ${JSON.stringify(sandboxId)} has to be letters, digits, "_", "." and "-"`);
  return sandboxId + SUFFIX;
}

async function names(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function parse(text: string): NetworkRecord | undefined {
  try {
    const value = JSON.parse(text) as Partial<NetworkRecord>;
    return typeof value.sandboxId === 'string' && Array.isArray(value.ips) && Array.isArray(value.hostPorts) ? (value as NetworkRecord) : undefined;
  } catch {
    return undefined;
  }
}
