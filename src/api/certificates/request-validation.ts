import type { V1CertificateSigningRequest, V1CertificateSigningRequestCondition } from '../generated/types.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateEnum } from '../meta/validation/enums.js';
import { certificateProblem, requestProblem } from './pem-problems.js';
import { validateSignerName } from './signer-name.js';

type Request = V1CertificateSigningRequest;
type Condition = V1CertificateSigningRequestCondition;

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const CONDITIONS = STATUS.child('conditions');
const APPROVAL = ['Approved', 'Denied'];
const FINAL = [...APPROVAL, 'Failed'];
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const USAGES = [
  'signing', 'digital signature', 'content commitment', 'key encipherment', 'key agreement', 'data encipherment', 'cert sign', 'crl sign',
  'encipher only', 'decipher only', 'any', 'server auth', 'client auth', 'code signing', 'email protection', 's/mime', 'ipsec end system',
  'ipsec tunnel', 'ipsec user', 'timestamping', 'ocsp signing', 'microsoft sgc', 'netscape sgc',
];

/** Which part of a request this way of writing may change. */
export type WritablePart = 'none' | 'status' | 'approval';

export function validateRequestCreate(object: Request): FieldError[] {
  return validateRequest(object, undefined);
}

export function validateRequestUpdate(object: Request, old: Request, part: WritablePart): FieldError[] {
  const errors = validateRequest(object, old);
  for (const type of FINAL) {
    if (ofType(object, type).length < ofType(old, type).length) errors.push(forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`));
  }
  if (part !== 'approval') errors.push(...validateApprovalUnchanged(object, old));
  const certificate = object.status?.certificate ?? '';
  const before = old.status?.certificate ?? '';
  if (certificate !== before) {
    if (part !== 'status') errors.push(forbidden(STATUS.child('certificate'), 'updates may not set certificate content'));
    else if (before !== '') errors.push(forbidden(STATUS.child('certificate'), 'updates may not modify existing certificate content'));
  }
  return errors;
}

function ofType(object: Request, type: string): Condition[] {
  return (object.status?.conditions ?? []).filter((condition) => condition.type === type);
}

function validateApprovalUnchanged(object: Request, old: Request): FieldError[] {
  return APPROVAL.flatMap((type) => {
    const now = ofType(object, type);
    const before = ofType(old, type);
    if (now.length > before.length) return [forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`)];
    if (now.length < before.length || deepEqual(now, before)) return [];
    return [forbidden(CONDITIONS, `updates may not modify a condition of type "${type}"`)];
  });
}

/** What the stored request breaks already is not held against its update. */
function validateRequest(object: Request, old: Request | undefined): FieldError[] {
  const { request = '', usages = [], signerName = '', expirationSeconds } = object.spec ?? {};
  const errors: FieldError[] = [];
  const problem = requestProblem(Buffer.from(request, 'base64').toString('latin1'));
  if (problem !== undefined) errors.push(invalid(SPEC.child('request'), object.spec?.request, problem));
  errors.push(...validateUsages(usages, old?.spec?.usages));
  const signerPath = SPEC.child('signerName');
  if (signerName === LEGACY_SIGNER && old?.spec?.signerName !== LEGACY_SIGNER) {
    errors.push(invalid(signerPath, signerName, 'the legacy signerName is not allowed via this API version'));
  } else errors.push(...validateSignerName(signerName, signerPath));
  if (expirationSeconds !== undefined && expirationSeconds < 600) {
    errors.push(invalid(SPEC.child('expirationSeconds'), expirationSeconds, 'may not specify a duration less than 600 seconds (10 minutes)'));
  }
  errors.push(...validateConditions(object.status?.conditions ?? [], old?.status?.conditions ?? []));
  errors.push(...validateCertificate(object, old));
  return errors;
}

function validateUsages(usages: readonly string[], before: readonly string[] | undefined): FieldError[] {
  const path = SPEC.child('usages');
  const errors: FieldError[] = usages.length === 0 ? [required(path)] : [];
  if (!before?.some((usage) => !USAGES.includes(usage))) {
    usages.forEach((usage, i) => {
      if (!USAGES.includes(usage)) errors.push(notSupported(path.index(i), usage, USAGES));
    });
  }
  if (before === undefined || new Set(before).size === before.length) {
    usages.forEach((usage, i) => {
      if (usages.indexOf(usage) < i) errors.push(duplicate(path.index(i), usage));
    });
  }
  return errors;
}

function validateConditions(conditions: readonly Condition[], before: readonly Condition[]): FieldError[] {
  const types = before.map(({ type }) => type);
  const allowEmpty = types.includes('');
  const allowDuplicates = new Set(types).size < types.length;
  const allowBoth = APPROVAL.every((type) => types.includes(type));
  const seen = new Set<string>();
  return conditions.flatMap(({ type = '', status = '' }, i) => {
    const path = CONDITIONS.index(i);
    const errors: FieldError[] = [];
    if (type === '' && !allowEmpty) errors.push(required(path.child('type')));
    errors.push(...validateEnum(status, FINAL.includes(type) ? ['True'] : ['False', 'True', 'Unknown'], path.child('status'), { empty: 'required' }));
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (!allowBoth && opposite !== undefined && seen.has(opposite)) errors.push(invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    if (!allowDuplicates && seen.has(type)) errors.push(duplicate(path.child('type'), type));
    seen.add(type);
    return errors;
  });
}

function validateCertificate(object: Request, old: Request | undefined): FieldError[] {
  const pem = (request: Request): string => Buffer.from(request.status?.certificate ?? '', 'base64').toString('latin1');
  if (old !== undefined && ((object.status?.certificate ?? '') === (old.status?.certificate ?? '') || certificateProblem(pem(old)) !== undefined)) return [];
  const problem = certificateProblem(pem(object));
  return problem === undefined ? [] : [invalid(STATUS.child('certificate'), '<certificate data>', problem)];
}
