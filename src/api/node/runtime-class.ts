import type { V1RuntimeClass, V1Toleration } from '../generated/types.js';
import { checkOverhead } from '../core/pod/resources.js';
import { checkTolerations } from '../core/pod/tolerations.js';
import { deprecatedNodeLabel } from '../core/validation/deprecated-node-labels.js';
import { canonicalizeResourceList } from '../core/validation/quantities.js';
import { duplicate, invalid, required, type FieldError } from '../meta/field-error.js';
import { FieldPath } from '../meta/field-path.js';
import { validateImmutable } from '../meta/validation/immutable.js';
import { validateLabels } from '../meta/validation/labels.js';
import { dns1123Label } from '../meta/validation/names.js';
import { validateBuiltInMeta } from '../meta/validation/object-meta.js';
import { AGE, NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';

const HANDLER = FieldPath.of('handler');
const SCHEDULING = FieldPath.of('scheduling');

function validate({ handler, overhead, scheduling }: V1RuntimeClass): FieldError[] {
  const errors: FieldError[] = [];
  if (!handler) errors.push(required(HANDLER));
  else for (const message of dns1123Label(handler)) errors.push(invalid(HANDLER, handler, message));
  if (overhead) checkOverhead(overhead.podFixed, FieldPath.of('overhead'), errors);
  if (!scheduling) return errors;
  errors.push(...validateLabels(scheduling.nodeSelector, SCHEDULING.child('nodeSelector')));
  const path = SCHEDULING.child('tolerations');
  checkTolerations(scheduling.tolerations, path, errors);
  const keyOf = (toleration: V1Toleration): string => JSON.stringify([toleration.key, toleration.operator, toleration.value, toleration.effect]);
  const seen = new Set<string>();
  scheduling.tolerations?.forEach((toleration, i) => {
    if (seen.has(keyOf(toleration))) errors.push(duplicate(path.index(i), toleration));
    seen.add(keyOf(toleration));
  });
  return errors;
}

export const runtimeClass = defineKind<V1RuntimeClass>({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  tracksGeneration: false,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  defaults: (draft) => canonicalizeResourceList(draft.overhead?.podFixed, false),
  validate,
  validateUpdate: (object, old) => [
    ...validateBuiltInMeta(object.metadata, { namespaced: false }),
    ...validate(object),
    ...validateImmutable(object.handler, old.handler, HANDLER),
  ],
  warnings: (object) => {
    const messages = Object.keys(object.scheduling?.nodeSelector ?? {}).map(deprecatedNodeLabel).filter((message) => message !== undefined);
    return messages.map((message) => `${SCHEDULING.child('nodeSelector')}: ${message}`);
  },
  columns: [NAME, text('Handler', (object) => object.handler ?? ''), AGE],
});
