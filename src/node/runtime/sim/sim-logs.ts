import { sleep, type Clock } from '../../../base/clock.js';
import type { LogOptions } from '../types.js';
import type { SimContainer } from './records.js';

/** A line and the moment at which it was written, in milliseconds since the epoch. */
interface Line {
  readonly at: number;
  readonly text: string;
}

/** A log never shows more lines than this: the oldest are rotated away. */
const MAX_LINES = 10_000;

/**
 * The log of a simulated container. Nothing is stored: which lines there are by now follows from the container's times and
 * from what its command prints.
 */
export async function* simulatedLog(container: SimContainer, options: LogOptions, clock: Clock): AsyncGenerator<Buffer> {
  let left = options.limitBytes ?? Infinity;
  let from = linesBetween(container, -1, 0).next;
  const render = (lines: readonly Line[]): Buffer => {
    const text = lines.map((line) => `${options.timestamps ? `${rfc3339Nano(line.at)} ` : ''}${line.text}\n`).join('');
    const bytes = Buffer.from(text);
    const cut = bytes.length > left ? bytes.subarray(0, left) : bytes;
    left -= cut.length;
    return cut;
  };
  let first = true;
  while (!options.signal.aborted && left > 0) {
    const ended = container.state === 'exited';
    const batch = linesBetween(container, from, clock.now());
    let lines = batch.lines.filter((line) => options.since === undefined || line.at >= options.since);
    if (first && options.tailLines !== undefined) lines = options.tailLines === 0 ? [] : lines.slice(-options.tailLines);
    first = false;
    from = batch.next;
    if (lines.length > 0) yield render(lines);
    if (!options.follow || ended) return;
    await sleep(clock, Math.max(50, Math.min(1000, batch.wait)), options.signal);
  }
}

/** Lines with an index from `from` on that were written until `now`; `next` is the index of the one after, `wait` how long until there may be one. */
function linesBetween(container: SimContainer, from: number, now: number): { readonly lines: Line[]; readonly next: number; readonly wait: number } {
  if (container.startedAt === 0 || from < 0) return { lines: [], next: 0, wait: 1000 };
  const until = container.state === 'exited' ? container.finishedAt : now;
  const { run } = container;
  const lines: Line[] = [];
  if (run && !run.repeatEvery) {
    let index = 0;
    for (const output of run.outputs) {
      const at = container.startedAt + output.at;
      if (at > until) break;
      if (index++ >= from) lines.push(...split(output.text(at), at));
    }
    return { lines, next: index, wait: 1000 };
  }
  const period = run?.repeatEvery ?? container.behaviour.logInterval;
  const turns = Math.floor((until - container.startedAt) / period) + 1;
  for (let turn = Math.max(from, turns - MAX_LINES); turn < turns; turn++) {
    const start = container.startedAt + turn * period;
    if (run) for (const output of run.outputs) lines.push(...split(output.text(start), start));
    else lines.push(...pretend(container, turn, start));
  }
  return { lines, next: turns, wait: container.startedAt + turns * period - until };
}

/** What a program that nothing is known of might say. */
function pretend(container: SimContainer, turn: number, at: number): Line[] {
  const { config, sandbox } = container;
  if (turn > 0) return [{ at, text: `level=info msg="handled requests" container=${config.name} count=${((turn * 7919 + config.name.length * 31) % 97) + 3} uptime=${Math.round((at - container.startedAt) / 1000)}s` }];
  const ports = config.ports ?? [];
  return [
    { at, text: `level=info msg="starting" container=${config.name} image=${config.image} pod=${sandbox.metadata.namespace}/${sandbox.metadata.name}` },
    ...(ports.length > 0 ? [{ at, text: `level=info msg="listening" address=${sandbox.ip}:${ports[0]}` }] : []),
  ];
}

function split(text: string, at: number): Line[] {
  return text.split('\n').map((line) => ({ at, text: line }));
}

function rfc3339Nano(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000000Z');
}
