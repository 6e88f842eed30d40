import type { V1FieldSelectorAttributes, V1LabelSelectorAttributes, V1NonResourceAttributes, V1ResourceAttributes } from '../../../api/generated/types.js';
import { escapeFieldValue, FieldSelector } from '../../../api/selectors/field-selector.js';
import { LabelSelector } from '../../../api/selectors/label-selector.js';
import type { UserInfo } from '../../authn/authenticator.js';
import type { AuthorizationAttributes } from '../../authz/authorizer.js';
import { aggregateText } from '../../../api/helpers/aggregate-text.js';

/** What an access review asks for, as the authorizers take it. */
export function reviewAttributes(user: UserInfo, spec: { readonly resourceAttributes?: V1ResourceAttributes; readonly nonResourceAttributes?: V1NonResourceAttributes }): AuthorizationAttributes {
  const resource = spec.resourceAttributes;
  if (!resource) {
    const { verb = '', path = '' } = spec.nonResourceAttributes ?? {};
    return { user, verb, isResourceRequest: false, namespace: '', group: '', version: '', resource: '', subresource: '', name: '', path };
  }
  const fieldSelector = selectorText('fieldSelector', resource.fieldSelector);
  const labelSelector = selectorText('labelSelector', resource.labelSelector);
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

type SelectorKind = 'fieldSelector' | 'labelSelector';

/** What upstream says of selectors in a review that it could not read, wholly or in part; undefined when all is well. */
export function selectorErrors(spec: { readonly resourceAttributes?: V1ResourceAttributes }): string | undefined {
  const errors = (['fieldSelector', 'labelSelector'] as const).flatMap((kind) => {
    const selector = spec.resourceAttributes?.[kind];
    const terms = selector?.requirements ?? [];
    const readable = terms.filter((term) => readableTerm(kind, term) !== undefined).length;
    const wrong = selector?.rawSelector ? !isReadable(kind, selector.rawSelector) : readable < terms.length;
    return wrong ? [`spec.resourceAttributes.${kind} ${readable > 0 ? 'partially ' : ''}ignored due to parse error`] : [];
  });
  return errors.length === 0 ? undefined : aggregateText(errors);
}

function isReadable(kind: SelectorKind, text: string): boolean {
  try {
    if (kind === 'fieldSelector') FieldSelector.parse(text);
    else LabelSelector.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface Term {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function readableTerm(kind: SelectorKind, term: Term): string | undefined {
  const text = kind === 'fieldSelector' ? fieldTerm(term) : labelTerm(term);
  return text !== undefined && isReadable(kind, text) ? text : undefined;
}

function fieldTerm({ key, operator, values }: Term): string | undefined {
  if (values?.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) return undefined;
  return `${key}${operator === 'In' ? '=' : '!='}${escapeFieldValue(values[0]!)}`;
}

function labelTerm({ key, operator, values = [] }: Term): string | undefined {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return operator === 'In' || operator === 'NotIn' ? `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})` : undefined;
}

/** Requirements that cannot be read are left out: the question then is about more, never about less. */
function selectorText(kind: SelectorKind, selector: V1FieldSelectorAttributes | V1LabelSelectorAttributes | undefined): string {
  if (selector?.rawSelector) return isReadable(kind, selector.rawSelector) ? selector.rawSelector : '';
  return (selector?.requirements ?? []).flatMap((term) => readableTerm(kind, term) ?? []).join(',');
}
