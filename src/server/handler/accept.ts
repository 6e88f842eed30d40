import { notAcceptableError } from '../../api/status-error.js';

/** How an answer is to be written. */
export interface Negotiated {
  readonly format: 'json' | 'yaml';
  /** Human-readable indentation was asked for by the media type. */
  readonly pretty: boolean;
  /** Another form than the object itself. */
  readonly target: { readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'; readonly version: string } | undefined;
}

interface Clause {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly quality: number;
}

const PLAIN: Negotiated = { format: 'json', pretty: false, target: undefined };
const FORMATS: readonly { readonly type: string; readonly format: 'json' | 'yaml' }[] = [
  { type: 'application/json', format: 'json' },
  { type: 'application/yaml', format: 'yaml' },
];
const TARGETS: readonly string[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];
/** Clients send few different headers; the answers are kept. */
const KEPT = 256;

/** Negotiates from `Accept` headers, as upstream's server does: the best clause that it can serve. */
export class AcceptNegotiator {
  private readonly known = new Map<string, Negotiated | undefined>();

  /** Throws a 406 `Status` when nothing fits. */
  negotiate(header: string): Negotiated {
    if (header === '' || header === 'application/json' || header === '*/*') return PLAIN;
    let found = this.known.get(header);
    if (found === undefined && !this.known.has(header)) {
      found = negotiate(header);
      if (this.known.size >= KEPT) this.known.clear();
      this.known.set(header, found);
    }
    if (found) return found;
    throw notAcceptableError(`406: Not Acceptable\n\nAvailable representations: ${FORMATS.map(({ type }) => type).join(', ')}`);
  }
}

function negotiate(header: string): Negotiated | undefined {
  for (const clause of parseAccept(header)) {
    for (const { type, format } of FORMATS) {
      if (clause.type !== type && clause.type !== '*/*' && clause.type !== 'application/*') continue;
      const target = targetOf(clause.params);
      if (target === 'refused') continue;
      return { format, pretty: clause.params.get('pretty') === '1', target };
    }
  }
  return undefined;
}

function targetOf(params: ReadonlyMap<string, string>): Negotiated['target'] | 'refused' {
  const stream = params.get('stream');
  if (stream !== undefined && stream !== '' && stream !== 'watch') return 'refused';
  const sv = params.get('sv');
  if (sv !== undefined && sv !== '' && sv !== 'v1') return 'refused';
  const kind = params.get('as');
  const group = params.get('g');
  const version = params.get('v');
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1') || kind === undefined || !TARGETS.includes(kind)) return 'refused';
  return { kind: kind as 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList', version };
}

function parseAccept(header: string): Clause[] {
  const clauses = header.split(',').map((text): Clause => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const params = new Map<string, string>();
    let quality = 1;
    for (const part of rest) {
      const equals = part.indexOf('=');
      const name = (equals < 0 ? part : part.slice(0, equals)).trim();
      const value = equals < 0 ? '' : part.slice(equals + 1).trim().replace(/^"(.*)"$/, '$1');
      if (name === 'q') quality = Number(value);
      else params.set(name, value);
    }
    return { type: type.toLowerCase(), params, quality: Number.isNaN(quality) ? 1 : quality };
  });
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality);
}
