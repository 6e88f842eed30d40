import type { V1SuccessPolicy } from '../../api/generated/types.js';
import { IndexSet } from './index-set.js';

/** The message for the first rule of a success policy that the succeeded indexes fulfil. */
export function matchSuccessPolicy(policy: V1SuccessPolicy | undefined, completions: number, succeeded: IndexSet): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = IndexSet.parse(succeededIndexes, completions);
    if (required.size === 0) return false;
    const reached = required.overlap(succeeded);
    return reached === required.size || (succeededCount !== undefined && reached >= succeededCount);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
