import { parseApiVersion } from '../../../api/meta/object.js';
import type { V1Status } from '../../../api/generated/types.js';
import { isObject } from '../../../api/patch/json.js';
import type { ReviewVersion } from './review.js';

/** What a webhook answered. */
export interface Verdict {
  readonly allowed: boolean;
  /** Why not. */
  readonly status: V1Status | undefined;
  /** A JSON patch, as bytes; absent when nothing is to be changed. */
  readonly patch: Buffer | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
}

/** An answer that cannot be understood at all, or (`invalid`) one that breaks the rules; the message is upstream's. */
export class VerdictError extends Error {
  override readonly name = 'VerdictError';

  constructor(
    message: string,
    readonly stage: 'undecodable' | 'invalid',
  ) {
    super(message);
  }
}

/** Reads the answer to a review. Throws a {@link VerdictError}. Audit annotations are accepted; there is no audit log that could hold them. */
export function readVerdict(answer: unknown, version: ReviewVersion, uid: string, mutating: boolean): Verdict {
  const review = expectReview(answer ?? {});
  const { apiVersion, kind } = typeOf(review);
  checkType(apiVersion, kind, version);
  const given = review['response'];
  if (given === undefined || given === null) throw new VerdictError('webhook response was absent', 'invalid');
  const fields = new Fields(expectObject(given, 'Go struct field', `AdmissionReview.response of type ${version}.AdmissionResponse`));
  const verdict = {
    allowed: fields.boolean('allowed'),
    status: fields.status(),
    patch: fields.bytes('patch'),
    patchType: fields.text('patchType'),
    warnings: fields.texts('warnings'),
  };
  const answeredUid = fields.text('uid', 'types.UID') ?? '';
  fields.checkAuditAnnotations();
  if (version === 'v1') checkV1(verdict, answeredUid, uid, mutating, apiVersion, kind);
  const hasPatch = mutating && verdict.patch !== undefined && verdict.patch.length > 0;
  return {
    allowed: verdict.allowed,
    status: verdict.status,
    patch: hasPatch ? verdict.patch : undefined,
    // Older reviews need not say it; there is but one type.
    patchType: version === 'v1' ? (verdict.patchType ?? '') : 'JSONPatch',
    warnings: verdict.warnings,
  };
}

interface Answered {
  readonly patch: Buffer | undefined;
  readonly patchType: string | undefined;
}

function checkV1({ patch, patchType }: Answered, answeredUid: string, uid: string, mutating: boolean, apiVersion: string, kind: string): void {
  const refuse = (why: string): never => {
    throw new VerdictError(why, 'invalid');
  };
  if (answeredUid !== uid) refuse(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answeredUid)}`);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
    refuse(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${group}/${version}, Kind=${kind}`);
  }
  const hasPatch = patch !== undefined && patch.length > 0;
  if (!mutating) {
    if (hasPatch) refuse('validating webhook may not return response.patch');
    if (patchType !== undefined) refuse('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && patchType === undefined) refuse('webhook returned response.patch but not response.patchType');
  if (!hasPatch && patchType !== undefined) refuse('webhook returned response.patchType but not response.patch');
  if (patchType === '') refuse('webhook returned invalid response.patchType of ""');
}

/** The fields of a response, each of the right type; null is the same as absent. */
class Fields {
  constructor(private readonly response: Record<string, unknown>) {}

  boolean(name: string): boolean {
    const value = this.response[name] ?? false;
    return typeof value === 'boolean' ? value : this.wrong(name, value, 'bool');
  }

  text(name: string, type = 'string'): string | undefined {
    const value = this.response[name] ?? undefined;
    return value === undefined || typeof value === 'string' ? value : this.wrong(name, value, type);
  }

  texts(name: string): readonly string[] {
    const value = this.response[name] ?? [];
    if (!Array.isArray(value)) return this.wrong(name, value, '[]string');
    const wrong: unknown = value.find((item: unknown) => typeof item !== 'string');
    return wrong === undefined ? (value as string[]) : this.wrong(name, wrong, 'string');
  }

  status(): V1Status | undefined {
    const status = this.object('status', 'v1.Status');
    const expected: Readonly<Record<string, string>> = { code: 'int32', message: 'string', reason: 'v1.StatusReason', status: 'string', details: 'v1.StatusDetails', metadata: 'v1.ListMeta' };
    for (const [name, type] of Object.entries(expected)) {
      const value = status?.[name] ?? undefined;
      const right = value === undefined || (type === 'int32' ? Number.isInteger(value) : name === 'details' || name === 'metadata' ? isObject(value) : typeof value === 'string');
      if (!right) throw new VerdictError(`json: cannot unmarshal ${jsonType(value)} into Go struct field Status.response.status.${name} of type ${type}`, 'undecodable');
    }
    return status;
  }

  checkAuditAnnotations(): void {
    const wrong = Object.values(this.object('auditAnnotations', 'map[string]string') ?? {}).find((value) => typeof value !== 'string');
    if (wrong !== undefined) this.wrong('auditAnnotations', wrong, 'string');
  }

  private object(name: string, type: string): Record<string, unknown> | undefined {
    const value = this.response[name] ?? undefined;
    return value === undefined || isObject(value) ? value : this.wrong(name, value, type);
  }

  bytes(name: string): Buffer | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
    const bytes = Buffer.from(text, 'base64');
    // Node leaves out what does not belong there, which makes it shorter, and takes the two characters of the other alphabet.
    if (text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0) && !text.includes('-') && !text.includes('_')) return bytes;
    const good = /^[A-Za-z0-9+/]*={0,2}/.exec(text)![0].length;
    if (good !== text.length || text.length % 4 !== 0) throw new VerdictError(`illegal base64 data at input byte ${good === text.length ? text.length - (text.length % 4) : good}`, 'undecodable');
    return bytes;
  }

  private wrong(name: string, value: unknown, type: string): never {
    throw new VerdictError(`json: cannot unmarshal ${jsonType(value)} into Go struct field AdmissionResponse.response.${name} of type ${type}`, 'undecodable');
  }
}

const TYPES = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
/** The types that upstream's client of webhooks knows. */
const KNOWN: ReadonlySet<string> = new Set(['admission.k8s.io/v1/AdmissionReview', 'admission.k8s.io/v1beta1/AdmissionReview', 'v1/Status']);
const SCHEME = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';

function expectReview(answer: unknown): Record<string, unknown> {
  if (isObject(answer)) return answer;
  throw new VerdictError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(answer)} into Go value of type ${TYPES}`, 'undecodable');
}

function typeOf(review: Record<string, unknown>): { readonly apiVersion: string; readonly kind: string } {
  const text = (name: string): string => {
    const value = review[name] ?? '';
    if (typeof value === 'string') return value;
    throw new VerdictError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go struct field .${name} of type string`, 'undecodable');
  };
  return { apiVersion: text('apiVersion'), kind: text('kind') };
}

/** What an answer does not say about its type is taken to be right for the moment. */
function checkType(apiVersion: string, kind: string, version: ReviewVersion): void {
  const expected = `admission.k8s.io/${version}`;
  const actual = { apiVersion: apiVersion || expected, kind: kind || 'AdmissionReview' };
  if (actual.apiVersion === expected && actual.kind === 'AdmissionReview') return;
  if (!KNOWN.has(`${actual.apiVersion}/${actual.kind}`)) {
    throw new VerdictError(`no kind ${JSON.stringify(actual.kind)} is registered for version ${JSON.stringify(actual.apiVersion)} in scheme ${JSON.stringify(SCHEME)}`, 'undecodable');
  }
  throw new VerdictError(`converting (${actual.apiVersion.split('/').pop()}.${actual.kind}) to (${version}.AdmissionReview): unknown conversion`, 'undecodable');
}

function expectObject(value: unknown, where: string, what: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new VerdictError(`json: cannot unmarshal ${jsonType(value)} into ${where} ${what}`, 'undecodable');
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
