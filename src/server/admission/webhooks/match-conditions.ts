import { forbiddenError } from '../../../api/status-error.js';
import type { AdmissionAttributes } from '../plugin.js';
import type { Hook } from './hook.js';

/**
 * Whether a webhook's match conditions let the request through to it. They are CEL expressions, which cannot be evaluated yet: as after any failed evaluation
 * the failure policy decides. `Fail`: throws a 403; `Ignore`: the webhook is not called.
 */
export function matchConditionsHold(hook: Hook, a: AdmissionAttributes): boolean {
  if (!hook.spec.matchConditions?.length) return true;
  if (hook.ignoresFailures) return false;
  throw forbiddenError({ group: a.resource.group, resource: a.resource.resource }, a.name, `the match conditions of the webhook ${JSON.stringify(hook.name)} cannot be evaluated: CEL expressions are not supported yet`);
}
