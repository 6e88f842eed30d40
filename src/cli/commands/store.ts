import { DataDirectory, loadStoreCopy, type StorePlace } from '../../run/index.js';
import type { CommandInput } from '../command.js';
import { etcdSettings } from '../etcd-settings.js';
import { print } from '../output.js';
import { UsageError } from '../parse.js';

/** Progress is told this often. */
const PROGRESS_KEYS = 1000;

/** `kube store copy --from … --to …`: with `-o json` lines of progress, and one with `"event":"copied"` at the end. */
export async function storeCopy(input: CommandInput): Promise<number> {
  const { io, flags } = input;
  const from = place(input, 'from');
  const to = place(input, 'to');
  if (from.type === 'etcd' && to.type === 'etcd' && flags.from === flags.to) throw new UsageError('--from and --to are the same etcd: name at least one of them as etcd:FILE');
  const copy = await loadStoreCopy();
  let told = 0;
  const progress = (copied: number, total: number): void => {
    if (copied < total && copied - told < PROGRESS_KEYS) return;
    told = copied;
    if (flags.output === 'json') io.out(JSON.stringify({ event: 'progress', copied, total }));
    else io.err(`copied ${copied} of ${total}`);
  };
  const document = await copy({ from, to, overwrite: flags.overwrite ?? false, progress, signal: io.interrupted });
  print(input, document, () => `copied ${document.keys} keys (${document.bytes} bytes) from ${document.from} to ${document.to}, and compared them: sha256 ${document.sha256}`);
  return 0;
}

/** `etcd` is the one of the etcd flags, `etcd:FILE` the one of a configuration file; anything else is a data directory. */
function place({ flags, io }: CommandInput, name: 'from' | 'to'): StorePlace {
  const text = flags[name];
  if (!text) throw new UsageError(`--${name} says what to copy ${name}: a data directory, etcd (with --etcd-servers or --etcd-config), or etcd:FILE`);
  if (text.startsWith('etcd:')) return { type: 'etcd', settings: { configFile: text.slice('etcd:'.length) } };
  if (text !== 'etcd') return { type: 'directory', directory: new DataDirectory(text) };
  const settings = etcdSettings(flags, io.environment);
  if (!settings) throw new UsageError(`--${name} etcd goes with --etcd-servers or --etcd-config: say where etcd is`);
  return { type: 'etcd', settings };
}
