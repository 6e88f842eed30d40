import { decode, type Answer } from 'dns-packet';
import { errorCode, errorMessage } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import type { Forwarder } from '../forward/forwarder.js';
import { answerLimit, encodeFailure, encodeRelayed, encodeZoneAnswer } from '../message/answer.js';
import { CLASS_IN, FLAG, RCODE, rcodeName, typeName } from '../message/constants.js';
import { encodeName } from '../message/names.js';
import { parseQuery, type Query } from '../message/query.js';
import type { DnsMetrics } from '../metrics.js';
import type { ClusterZone, ZoneResult } from '../zone/cluster-zone.js';

/** Types that may stand in the answer to a question for an address. */
const ADDRESS_TYPES = new Set(['A', 'AAAA', 'CNAME']);

/** How a message came. */
export type Transport = 'udp' | 'tcp';

/** Turns messages into answers: the cluster's names from the zone, all others from upstream servers. Never throws. */
export class Resolver {
  constructor(
    private readonly zone: ClusterZone,
    private readonly forwarder: Forwarder,
    private readonly metrics: DnsMetrics,
    private readonly log: Logger,
  ) {}

  /** Undefined for messages that get no answer. */
  async resolve(message: Buffer, transport: Transport): Promise<Buffer | undefined> {
    const parsed = parseQuery(message);
    if (!parsed) return undefined;
    let answer: Buffer;
    if ('reject' in parsed) {
      answer = parsed.reject;
      this.metrics.requests.add(`${transport} other`, () => ({ proto: transport, type: 'other' }));
    } else {
      const { query } = parsed;
      const type = typeName(query.type);
      this.metrics.requests.add(`${transport} ${type}`, () => ({ proto: transport, type }));
      try {
        answer = await this.answer(query, answerLimit(query, transport));
      } catch (error) {
        const code = errorCode(error);
        if (!code?.startsWith('KUBE_DNS_')) this.log.error('answering a DNS query failed', { name: query.name, type, error: errorMessage(error), stack: error instanceof Error ? error.stack : undefined });
        else this.log.debug('a DNS query could not be forwarded', { name: query.name, type, error: errorMessage(error) });
        answer = encodeFailure(query, code === 'KUBE_DNS_BUSY' ? RCODE.REFUSED : RCODE.SERVFAIL);
      }
    }
    const rcode = rcodeName(answer.readUInt16BE(2) & 0xf);
    this.metrics.responses.add(rcode, () => ({ rcode }));
    return answer;
  }

  private async answer(query: Query, limit: number): Promise<Buffer> {
    if (query.class !== CLASS_IN) return encodeFailure(query, RCODE.REFUSED);
    if (this.zone.contains(query.name)) {
      const result = this.zone.answer(query);
      return encodeZoneAnswer(query, result.external === undefined ? result : await this.followed(query, result, result.external), limit);
    }
    const names = this.zone.reverse(query);
    if (names) return encodeZoneAnswer(query, names, limit);
    const { question, checkingDisabled, edns } = query;
    return encodeRelayed(query, await this.forwarder.ask({ question, checkingDisabled, dnssecOk: edns?.dnssecOk ?? false }), limit);
  }

  /** Adds what upstream servers say about the name of an ExternalName service; when they say nothing the alias stands alone. */
  private async followed(query: Query, result: ZoneResult, external: string): Promise<ZoneResult> {
    const name = encodeName(external);
    if (!name) return result;
    const question = Buffer.concat([name, Buffer.from([0, query.type, 0, CLASS_IN])]);
    try {
      const answer = await this.forwarder.ask({ question, checkingDisabled: query.checkingDisabled, dnssecOk: false });
      if ((answer.readUInt16BE(2) & (FLAG.TC | 0xf)) !== RCODE.NOERROR) return result;
      const found = (decode(answer).answers ?? []).filter(({ type }) => ADDRESS_TYPES.has(type));
      return { ...result, answers: [...result.answers, ...found.map((record): Answer => ({ ...record }))] };
    } catch (error) {
      this.log.debug('the name of an ExternalName service could not be resolved', { name: external, error: errorMessage(error) });
      return result;
    }
  }
}
