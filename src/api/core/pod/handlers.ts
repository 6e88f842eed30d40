import type { V1HTTPGetAction, V1Lifecycle, V1LifecycleHandler, V1Probe } from '../../generated/types.js';
import { forbidden, invalid, notSupported, required, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { validateNonnegative, validatePortNumberOrName } from '../../meta/validation/numbers.js';
import { httpHeaderName } from '../../meta/validation/text.js';

/** Handlers of probes and of the container life cycle in the order in which upstream looks at them. */
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;
type Handler = Pick<V1Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<V1LifecycleHandler, 'sleep'>;

function checkHandler(handler: Handler, gracePeriod: number | undefined, path: FieldPath, errors: FieldError[]): void {
  let found = false;
  for (const kind of HANDLERS) {
    if (handler[kind] === undefined) continue;
    const at = path.child(kind);
    if (found) {
      errors.push(forbidden(at, 'may not specify more than 1 handler type'));
      continue;
    }
    found = true;
    if (handler.exec) {
      if (!handler.exec.command?.length) errors.push(required(at.child('command')));
    } else if (handler.httpGet) checkHttpGet(handler.httpGet, at, errors);
    else if (handler.tcpSocket) errors.push(...validatePortNumberOrName(handler.tcpSocket.port, at.child('port')));
    else if (handler.grpc) errors.push(...validatePortNumberOrName(handler.grpc.port, at.child('port')));
    else if (handler.sleep) {
      const { seconds = 0 } = handler.sleep;
      if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod)) {
        errors.push(invalid(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`));
      }
    }
  }
  if (!found) errors.push(required(path, 'must specify a handler type'));
}

function checkHttpGet(action: V1HTTPGetAction, path: FieldPath, errors: FieldError[]): void {
  if (!action.path) errors.push(required(path.child('path')));
  errors.push(...validatePortNumberOrName(action.port, path.child('port')));
  if (action.scheme !== 'HTTP' && action.scheme !== 'HTTPS') errors.push(notSupported(path.child('scheme'), action.scheme ?? '', ['HTTP', 'HTTPS']));
  for (const header of action.httpHeaders ?? []) {
    for (const message of httpHeaderName(header.name ?? '')) errors.push(invalid(path.child('httpHeaders'), header.name ?? '', message));
  }
}

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

/** Rules of one probe; only readiness may ask for several successes, and only the others for a grace period of their own. */
export function checkProbe(
  probe: V1Probe | undefined,
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  gracePeriod: number | undefined,
  container: FieldPath,
  errors: FieldError[],
): void {
  if (probe === undefined) return;
  const path = container.child(kind);
  // A probe has no sleep handler; one that was sent is an unknown field.
  checkHandler({ exec: probe.exec, httpGet: probe.httpGet, tcpSocket: probe.tcpSocket, grpc: probe.grpc }, gracePeriod, path, errors);
  for (const field of COUNTS) if ((probe[field] ?? 0) < 0) errors.push(...validateNonnegative(probe[field], path.child(field)));
  const own = probe.terminationGracePeriodSeconds;
  const ownPath = path.child('terminationGracePeriodSeconds');
  if (own !== undefined && own <= 0) errors.push(invalid(ownPath, own, 'must be greater than 0'));
  if (kind === 'readinessProbe') {
    if (own !== undefined) errors.push(invalid(ownPath, own, 'must not be set for readinessProbes'));
  } else if (probe.successThreshold !== 1) errors.push(invalid(path.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1'));
}

/** Rules of `lifecycle`. */
export function checkLifecycle(lifecycle: V1Lifecycle | undefined, gracePeriod: number | undefined, path: FieldPath, errors: FieldError[]): void {
  if (lifecycle === undefined) return;
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle[hook];
    if (handler) checkHandler({ exec: handler.exec, httpGet: handler.httpGet, tcpSocket: handler.tcpSocket, sleep: handler.sleep }, gracePeriod, path.child(hook), errors);
  }
}
