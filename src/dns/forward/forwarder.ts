import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock.js';
import { KubeError } from '../../base/errors.js';
import type { Random } from '../../base/random.js';
import { FLAG, HEADER_LENGTH, RCODE, TYPE } from '../message/constants.js';
import { lowerCaseBytes } from '../message/names.js';
import { optRecord } from '../message/query.js';
import { records } from '../message/walk.js';
import { AnswerCache } from './answer-cache.js';
import { exchangeTcp, exchangeUdp } from './exchange.js';
import type { DnsServer } from './resolv-conf.js';

/** A question for upstream servers: name, type and class in wire form. */
export interface ForwardQuestion {
  readonly question: Buffer;
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

/** What {@link Forwarder} needs. */
export interface ForwarderOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each question, with whether the cache knew the answer. */
  readonly asked?: (hit: boolean) => void;
}

/** One server gets so long, then the next is asked; all together {@link TOTAL_MILLISECONDS}. */
const ATTEMPT_MILLISECONDS = 2000;
const TOTAL_MILLISECONDS = 5000;
const ROUNDS = 2;
/** A server that did not answer is asked last for so long. */
const DOWN_MILLISECONDS = 5000;
/** Questions under way (kubeadm's `max_concurrent`). */
const MOST_FLIGHTS = 1000;
/** Size of datagrams that passes everywhere (DNS flag day 2020). */
const UDP_SIZE = 1232;

/**
 * Asks upstream servers in their order, with a cache, and once for all who ask the same at the same time. A loop of forwarders ends
 * here too: the question that comes back joins the one that waits, and both time out.
 */
export class Forwarder {
  private servers: readonly DnsServer[] = [];
  private readonly down = new Map<string, number>();
  private readonly cache: AnswerCache;
  private readonly flights = new Map<string, Promise<Buffer>>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: ForwarderOptions) {
    this.cache = new AnswerCache(() => options.clock.monotonic());
    // Every question under way listens to it.
    setMaxListeners(0, this.stopping.signal);
  }

  setServers(servers: readonly DnsServer[]): void {
    this.servers = servers;
    this.down.clear();
    this.cache.clear();
  }

  stop(): void {
    this.stopping.abort();
  }

  /**
   * The answer with an id of no meaning and without an OPT record; at once where the cache has it. The buffer is shared: copy before
   * changing it. Fails with `KUBE_DNS_UPSTREAM` (no server answered) or `KUBE_DNS_BUSY`.
   */
  ask(question: ForwardQuestion): Buffer | Promise<Buffer> {
    const key = `${lowerCaseBytes(question.question).toString('latin1')}${question.dnssecOk ? 'd' : ''}${question.checkingDisabled ? 'c' : ''}`;
    const cached = this.cache.get(key);
    this.options.asked?.(cached !== undefined);
    if (cached) return cached;
    const under = this.flights.get(key);
    if (under) return under;
    if (this.flights.size >= MOST_FLIGHTS) throw new KubeError('KUBE_DNS_BUSY', `more than ${MOST_FLIGHTS} questions wait for upstream servers`);
    const flight = this.askServers(question)
      .then((answer) => {
        this.cache.put(key, answer);
        return answer;
      })
      .finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }

  private async askServers(question: ForwardQuestion): Promise<Buffer> {
    const { clock } = this.options;
    const deadline = clock.monotonic() + TOTAL_MILLISECONDS;
    let failure: unknown = new KubeError('KUBE_DNS_UPSTREAM', 'no server for other names is known');
    let refusal: Buffer | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      for (const server of this.ordered()) {
        const left = deadline - clock.monotonic();
        if (left <= 0 || this.stopping.signal.aborted) break;
        try {
          const answer = await this.askOne(server, question, Math.min(left, ATTEMPT_MILLISECONDS));
          this.down.delete(serverKey(server));
          const rcode = answer.readUInt16BE(2) & 0xf;
          if (rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN) return answer;
          refusal ??= answer;
        } catch (error) {
          failure = error;
          this.down.set(serverKey(server), clock.monotonic() + DOWN_MILLISECONDS);
        }
      }
      if (refusal) return refusal;
    }
    throw failure;
  }

  private ordered(): readonly DnsServer[] {
    const now = this.options.clock.monotonic();
    const isDown = (server: DnsServer): boolean => (this.down.get(serverKey(server)) ?? 0) > now;
    return [...this.servers.filter((server) => !isDown(server)), ...this.servers.filter(isDown)];
  }

  private async askOne(server: DnsServer, question: ForwardQuestion, timeoutMilliseconds: number): Promise<Buffer> {
    const limits = { clock: this.options.clock, timeoutMilliseconds, signal: this.stopping.signal };
    let query = this.query(question, true);
    let answer = await exchangeUdp(server, query, limits);
    if ((answer.readUInt16BE(2) & 0xf) === RCODE.FORMERR) {
      // A server from before EDNS.
      query = this.query(question, false);
      answer = await exchangeUdp(server, query, limits);
    }
    // Where TCP does not get through, the part is better than nothing; it keeps its truncation flag.
    if (answer.readUInt16BE(2) & FLAG.TC) answer = await exchangeTcp(server, query, limits).catch(() => answer);
    return plain(answer, question.question);
  }

  private query({ question, dnssecOk, checkingDisabled }: ForwardQuestion, edns: boolean): Buffer {
    const header = Buffer.alloc(HEADER_LENGTH);
    this.options.random.bytes(2).copy(header);
    header.writeUInt16BE(FLAG.RD | FLAG.AD | (checkingDisabled ? FLAG.CD : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(edns ? 1 : 0, 10);
    return Buffer.concat([header, question, ...(edns ? [optRecord(UDP_SIZE, dnssecOk)] : [])]);
  }
}

function serverKey(server: DnsServer): string {
  return `${server.address}|${server.port}`;
}

/** The answer without its OPT record, which is between two neighbours only, and with the question where a refusal left it out. */
function plain(answer: Buffer, question: Buffer): Buffer {
  if (answer.readUInt16BE(4) === 0) {
    const header = Buffer.from(answer.subarray(0, HEADER_LENGTH));
    header.fill(0, 4);
    header.writeUInt16BE(1, 4);
    return Buffer.concat([header, question]);
  }
  let end = HEADER_LENGTH + question.length;
  let additionals = 0;
  for (const record of records(answer)) {
    // Nearly always the last one. What follows it is dropped: moving names would break pointers to them.
    if (record.type === TYPE.OPT && record.section === 3) break;
    if (record.section === 3) additionals += 1;
    end = record.end;
  }
  const copy = Buffer.from(answer.subarray(0, end));
  copy.writeUInt16BE(additionals, 10);
  return copy;
}
