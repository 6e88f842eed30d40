import type { V1Toleration } from '../../generated/types.js';
import { invalid, notSupportedInOrder, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import { labelValue, validateLabelName } from '../../meta/validation/labels.js';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Rules of `tolerations`. */
export function checkTolerations(tolerations: readonly V1Toleration[] | undefined, path: FieldPath, errors: FieldError[]): void {
  tolerations?.forEach((toleration, i) => {
    const at = path.index(i);
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    if (key !== '') errors.push(...validateLabelName(key, at.child('key')));
    else if (operator !== 'Exists') {
      errors.push(invalid(at.child('operator'), operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'));
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    const operatorPath = at.child('operator');
    if (operator === '' || operator === 'Equal') {
      const messages = labelValue(value);
      if (messages.length > 0) errors.push(invalid(operatorPath, value, messages.join(';')));
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(operatorPath, value, "value must be empty when `operator` is 'Exists'"));
    } else {
      const known = operator === 'Lt' || operator === 'Gt' ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
      errors.push(notSupportedInOrder(operatorPath, operator, known));
    }
    if (effect !== '' && !EFFECTS.includes(effect)) errors.push(notSupportedInOrder(at.child('effect'), effect, EFFECTS));
  });
}
