import { run } from '../../base/steps.js';
import { invalid, type FieldError } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { invalidError } from '../../api/status-error.js';
import type { DeleteOptionsValues } from '../registry/write-request.js';
import type { ApiCore } from './api-core.js';
import type { ApiRequest } from './api-request.js';
import { notSupportedInOrder } from './option-errors.js';
import { booleanParam, integerParam } from './query-values.js';
import { dryRunErrors } from './write-options.js';

/** `DeleteOptions` of a request. */
export interface DeleteOptions {
  readonly values: DeleteOptionsValues;
  readonly dryRun: boolean;
  /** As admission sees them. */
  readonly raw: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** From the body when there is one, else from the query. Throws 400 and 422 `Status` errors. */
export async function deleteOptions(core: ApiCore, request: ApiRequest): Promise<DeleteOptions> {
  const sent = hasBody(request) ? await run(core.codec.decodeKind<Sent>(request, 'meta.k8s.io', 'v1', 'DeleteOptions', 'Ignore')) : fromQuery(request.query);
  checkDeleteOptions(sent);
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions } = sent;
  return {
    dryRun: (sent.dryRun?.length ?? 0) > 0,
    values: {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      ...(orphanDependents === undefined ? {} : { orphanDependents }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(preconditions === undefined ? {} : { preconditions }),
    },
    raw: admissionOptions(sent),
  };
}

function admissionOptions(sent: Sent): Readonly<Record<string, unknown>> {
  const { dryRun, ...others } = sent;
  return { ...others, ...(dryRun?.length ? { dryRun } : {}), kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
}

function hasBody(request: ApiRequest): boolean {
  const { body } = request;
  return body.type === 'object' ? body.object !== undefined && body.object !== null : body.type === 'bytes' && body.bytes.length > 0;
}

function fromQuery(query: URLSearchParams): Sent {
  return {
    gracePeriodSeconds: integerParam(query, 'gracePeriodSeconds'),
    orphanDependents: booleanParam(query, 'orphanDependents'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    dryRun: query.getAll('dryRun'),
  };
}

/** Throws a 422 `Status` error when options of a deletion contradict each other or are unknown. */
export function checkDeleteOptions(sent: Sent): void {
  const errors = optionErrors(sent);
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

function optionErrors(sent: Sent): FieldError[] {
  const errors: FieldError[] = [];
  const policy = sent.propagationPolicy;
  const path = FieldPath.of('propagationPolicy');
  if (sent.orphanDependents !== undefined && policy !== undefined) errors.push(invalid(path, policy, 'orphanDependents and deletionPropagation cannot be both set'));
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupportedInOrder(path, policy, [...POLICIES, 'nil']));
  return [...errors, ...dryRunErrors(sent.dryRun ?? [])];
}
