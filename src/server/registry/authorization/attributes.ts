import type { V1FieldSelectorAttributes, V1LabelSelectorAttributes, V1NonResourceAttributes, V1ResourceAttributes } from '../../../api/generated/types.js';
import { escapeFieldValue } from '../../../api/selectors/field-selector.js';
import type { UserInfo } from '../../authn/authenticator.js';
import type { AuthorizationAttributes } from '../../authz/authorizer.js';

/** What an access review asks for, as the authorizers take it. */
export function reviewAttributes(user: UserInfo, spec: { readonly resourceAttributes?: V1ResourceAttributes; readonly nonResourceAttributes?: V1NonResourceAttributes }): AuthorizationAttributes {
  const resource = spec.resourceAttributes;
  if (!resource) {
    const { verb = '', path = '' } = spec.nonResourceAttributes ?? {};
    return { user, verb, isResourceRequest: false, namespace: '', group: '', version: '', resource: '', subresource: '', name: '', path };
  }
  const fieldSelector = fieldSelectorText(resource.fieldSelector);
  const labelSelector = labelSelectorText(resource.labelSelector);
  return {
    user,
    verb: resource.verb ?? '',
    isResourceRequest: true,
    namespace: resource.namespace ?? '',
    group: resource.group ?? '',
    version: resource.version || '*',
    resource: resource.resource ?? '',
    subresource: resource.subresource ?? '',
    name: resource.name ?? '',
    path: '',
    ...(fieldSelector === '' ? {} : { fieldSelector }),
    ...(labelSelector === '' ? {} : { labelSelector }),
  };
}

/** Requirements that fields cannot express are left out: the question then is about more, never about less. */
function fieldSelectorText(selector: V1FieldSelectorAttributes | undefined): string {
  if (selector?.rawSelector) return selector.rawSelector;
  const terms = (selector?.requirements ?? []).flatMap(({ key, operator, values }) => {
    if (values?.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return [];
    return [`${key}${operator === 'In' ? '=' : '!='}${escapeFieldValue(values[0]!)}`];
  });
  return terms.join(',');
}

function labelSelectorText(selector: V1LabelSelectorAttributes | undefined): string {
  if (selector?.rawSelector) return selector.rawSelector;
  const terms = (selector?.requirements ?? []).flatMap(({ key, operator, values }) => {
    const list = `(${(values ?? []).join(',')})`;
    if (operator === 'In') return [`${key} in ${list}`];
    if (operator === 'NotIn') return [`${key} notin ${list}`];
    if (operator === 'Exists') return [key];
    return operator === 'DoesNotExist' ? [`!${key}`] : [];
  });
  return terms.join(',');
}
