import { notAcceptableError, StatusError } from '../../api/status-error.js';
import { acceptClauses, type AcceptClause } from './accept-clauses.js';

export type AnswerFormat = 'json' | 'yaml' | 'protobuf';

/** How an answer is to be written. */
export interface Negotiated {
  readonly format: AnswerFormat;
  /** Human-readable indentation was asked for by the media type. */
  readonly pretty: boolean;
  /** Another form than the object itself. */
  readonly target: { readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'; readonly version: string } | undefined;
}

/**
 * What can be answered:
 * - `object`: objects of built-in kinds
 * - `list`: the same where a list or a watch is asked for
 * - `status`: errors: nothing is transformed
 * - `custom`: objects of custom kinds, which have no protobuf form but for their metadata
 * - `review`: objects that are answered rather than stored, which have no table form
 * - `json`: what is no object of the API
 */
export type Answers = 'object' | 'list' | 'status' | 'custom' | 'review' | 'json';

const PLAIN: Negotiated = { format: 'json', pretty: false, target: undefined };
const FORMATS: readonly { readonly type: string; readonly subtype: string; readonly format: AnswerFormat; readonly streams: boolean }[] = [
  { type: 'application', subtype: 'json', format: 'json', streams: true },
  { type: 'application', subtype: 'yaml', format: 'yaml', streams: false },
  { type: 'application', subtype: 'vnd.kubernetes.protobuf', format: 'protobuf', streams: true },
];
const TYPES = FORMATS.map(({ type, subtype }) => `${type}/${subtype}`);
const STREAM_TYPES = FORMATS.filter(({ streams }) => streams).map(({ type, subtype }) => `${type}/${subtype};stream=watch`);
const TARGETS: readonly string[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
/** What upstream's router lets through, before anything is negotiated; custom kinds and errors do not pass it. */
const ROUTED: Readonly<Partial<Record<Answers, readonly string[]>>> = { object: TYPES, review: TYPES, list: [...TYPES, ...STREAM_TYPES], json: ['application/json'] };
/** Clients send few different headers; the answers are kept. */
const KEPT = 256;

/** Negotiates from `Accept` headers, as upstream's server does: the best clause that it can serve. */
export class AcceptNegotiator {
  private readonly known = new Map<string, Negotiated | StatusError>();

  /** Throws a 406 `Status` when nothing fits. */
  negotiate(header: string, answers: Answers = 'object'): Negotiated {
    if (header === '' || header === 'application/json' || header === '*/*') return PLAIN;
    const key = `${answers} ${header}`;
    let found = this.known.get(key);
    if (found === undefined) {
      found = negotiate(header, answers);
      if (this.known.size >= KEPT) this.known.clear();
      this.known.set(key, found);
    }
    if (found instanceof StatusError) throw new StatusError(found.status);
    return found;
  }

  /** How an error is written; undefined: as JSON for people, since the client accepts nothing that it could be written as. */
  negotiateStatus(header: string): Negotiated | undefined {
    try {
      return this.negotiate(header, 'status');
    } catch {
      return undefined;
    }
  }
}

/** 406 for a watch whose events cannot be framed in what was negotiated (YAML). */
export function unframedError(): StatusError {
  return notAcceptable(STREAM_TYPES);
}

function negotiate(header: string, answers: Answers): Negotiated | StatusError {
  const routed = ROUTED[answers];
  if (routed !== undefined && !passesRouter(header, routed)) {
    const { code, ...status } = notAcceptableError(`406: Not Acceptable\n\nAvailable representations: ${routed.join(', ')}`).status;
    return new StatusError({ ...status, details: {}, code });
  }
  // There is but one form of it.
  if (answers === 'json') return PLAIN;
  for (const clause of acceptClauses(header)) {
    for (const candidate of FORMATS) {
      if (!matches(clause, candidate)) continue;
      const target = targetOf(clause.params, candidate, answers);
      if (target === 'refused') continue;
      return { format: candidate.format, pretty: clause.params.get('pretty') === '1', target };
    }
  }
  return notAcceptable(TYPES);
}

/** Upstream's router looks at the types alone, and knows no half wildcards. */
export function passesRouter(header: string, produced: readonly string[]): boolean {
  return header.split(',').some((clause) => {
    const semicolon = clause.indexOf(';');
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim();
    return type === '*/*' || produced.includes(type);
  });
}

function matches(clause: AcceptClause, candidate: { readonly type: string; readonly subtype: string }): boolean {
  if (clause.type === '*' && clause.subtype === '*') return true;
  return clause.type === candidate.type && (clause.subtype === candidate.subtype || clause.subtype === '*');
}

function targetOf(params: ReadonlyMap<string, string>, candidate: { readonly format: AnswerFormat; readonly streams: boolean }, answers: Answers): Negotiated['target'] | 'refused' {
  const stream = params.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || !candidate.streams)) return 'refused';
  const transforms = answers !== 'status';
  const sv = params.get('sv') ?? '';
  if (sv !== '' && (sv !== 'v1' || !transforms)) return 'refused';
  const kind = params.get('as');
  const group = params.get('g');
  const version = params.get('v');
  if (kind === undefined && group === undefined && version === undefined) return answers === 'custom' && candidate.format === 'protobuf' ? 'refused' : undefined;
  if (!transforms || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1') || kind === undefined || !TARGETS.includes(kind)) return 'refused';
  if (kind === 'Table' && (candidate.format === 'protobuf' || answers === 'review')) return 'refused';
  return { kind: kind as 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList', version };
}

function notAcceptable(types: readonly string[]): StatusError {
  return notAcceptableError(`only the following media types are accepted: ${types.join(', ')}`);
}
