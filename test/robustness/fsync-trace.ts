/** What a trace says about one connection's requests. */
export interface TracedAnswer {
  /** Local port of the client. */
  readonly port: number;
  /** Between the arrival of the request and the first byte of the answer a sync of the log began and ended. */
  readonly synced: boolean;
}

interface Call {
  readonly name: string;
  readonly argument: string;
  readonly began: number;
}

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))$/;
const READS = new Set(['read', 'readv', 'recvfrom', 'recvmsg']);
const WRITES = new Set(['write', 'writev', 'sendto', 'sendmsg']);
const SYNCS = new Set(['fdatasync', 'fsync']);

/**
 * Reads the output of `strace -f -yy` on a server: every answer on every connection to `port`, in order. A request is what was read since
 * the last write to the same connection.
 */
export function tracedAnswers(trace: string, port: number): TracedAnswer[] {
  const open = new Map<string, Call>();
  const answers: TracedAnswer[] = [];
  /** Line at which the newest request of a connection arrived; absent once it was answered. */
  const arrived = new Map<number, number>();
  /** Line at which the sync began that began last among those that have ended well. */
  let synced = -1;

  const clientOf = (argument: string): number | undefined => {
    const match = /^\d+<TCP(?:v6)?:\[[^\]]*?:(\d+)->[^\]]*?:(\d+)\]/.exec(argument);
    return match && Number(match[1]) === port ? Number(match[2]) : undefined;
  };
  const begin = ({ name, argument }: Call): void => {
    const client = WRITES.has(name) ? clientOf(argument) : undefined;
    const since = client === undefined ? undefined : arrived.get(client);
    if (client === undefined || since === undefined) return;
    answers.push({ port: client, synced: synced > since });
    arrived.delete(client);
  };
  const end = ({ name, argument, began }: Call, result: number, line: number): void => {
    if (READS.has(name) && result > 0) {
      const client = clientOf(argument);
      if (client !== undefined && !arrived.has(client)) arrived.set(client, line);
    } else if (SYNCS.has(name) && result === 0 && /\/\d+\.log>/.test(argument)) synced = Math.max(synced, began);
  };

  trace.split('\n').forEach((text, line) => {
    const match = LINE.exec(text);
    if (!match) return;
    const [, pid, resumed, rest, called, argument] = match;
    let call: Call | undefined;
    if (called !== undefined) {
      call = { name: called, argument: argument!, began: line };
      begin(call);
      if (/<unfinished \.\.\.>$/.test(text)) return void open.set(pid!, call);
    } else {
      call = open.get(pid!);
      open.delete(pid!);
      if (call?.name !== resumed) return;
    }
    const result = /= (-?\d+)[^=]*$/.exec(called === undefined ? rest! : argument!);
    if (result) end(call!, Number(result[1]), line);
  });
  return answers;
}
