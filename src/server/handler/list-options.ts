import { errorMessage } from '../../base/errors.js';
import { forbidden, notSupported, quote, type FieldError } from '../../api/meta/field-error.js';
import { FieldPath } from '../../api/meta/field-path.js';
import { FieldSelector } from '../../api/selectors/field-selector.js';
import { LabelSelector } from '../../api/selectors/label-selector.js';
import type { ServedResource } from '../../api/scheme/scheme.js';
import { badRequestError, invalidError } from '../../api/status-error.js';
import { COMMON_FIELDS } from '../registry/selectable-fields.js';
import { Selection, type FieldReader } from '../registry/selection.js';
import { EMPTY_QUERY, isWatch } from './parse-request-info.js';
import { notSupportedInOrder } from './option-errors.js';
import { booleanParam, integerParam } from './query-values.js';
import type { RequestInfo } from './request-info.js';

/** `ListOptions`, decoded and checked. */
export interface ListOptions {
  readonly watch: boolean;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const PLAIN: ListOptions = {
  watch: false,
  labels: LabelSelector.everything,
  fields: FieldSelector.everything,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

/** Reads the options of a list or watch; throws 400 and 422 `Status` errors in upstream's words. */
export function listOptions(info: RequestInfo, query: URLSearchParams, resource: ServedResource): ListOptions {
  if (query === EMPTY_QUERY && info.name === '' && info.verb !== 'watch') return PLAIN;
  const resourceVersion = query.get('resourceVersion') ?? '';
  const token = query.get('continue') ?? '';
  const limit = Math.max(0, integerParam(query, 'limit') ?? 0);
  const options: ListOptions = {
    watch: isWatch(query) || info.verb === 'watch',
    labels: parse(() => LabelSelector.parse(query.get('labelSelector') ?? '')),
    fields: withName(hubFields(parse(() => FieldSelector.parse(query.get('fieldSelector') ?? '')), resource), info.name),
    resourceVersion,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    // Who takes any state gets all of it: as upstream, which has it in memory.
    limit: resourceVersion === '0' ? 0 : limit,
    continue: token,
    timeoutSeconds: integerParam(query, 'timeoutSeconds'),
    allowWatchBookmarks: booleanParam(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: booleanParam(query, 'sendInitialEvents'),
  };
  const errors = options.watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  checkFields(options.fields, resource);
  return options;
}

/** What the options select in a namespace. */
export function selectionOf(options: ListOptions, resource: ServedResource, namespace: string, readField: FieldReader): Selection {
  return new Selection(namespace, options.labels, options.fields, readField, resource.facts.namespaced);
}

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const path = FieldPath.of('resourceVersionMatch');
  if (match !== '') {
    if (options.resourceVersion === '') errors.push(forbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (options.continue !== '') errors.push(forbidden(path, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(notSupportedInOrder(path, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && options.resourceVersion === '0') errors.push(forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined) errors.push(forbidden(FieldPath.of('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = options.resourceVersionMatch;
  const path = FieldPath.of('resourceVersionMatch');
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) errors.push(forbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    if (match !== 'NotOlderThan') errors.push(notSupported(path, match, ['NotOlderThan']));
  }
  // Upstream fills in NotOlderThan for a watch that begins with the present state.
  const filledIn = options.sendInitialEvents === undefined && (options.resourceVersion === '' || options.resourceVersion === '0');
  if (options.continue !== '' && (match !== '' || filledIn)) errors.push(forbidden(path, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function withName(fields: FieldSelector, name: string): FieldSelector {
  if (name === '') return fields;
  if (fields.isEverything) return FieldSelector.of([{ field: 'metadata.name', equal: true, value: name }]);
  if (fields.requiredValue('metadata.name') !== name) throw badRequestError("fieldSelector metadata.name doesn't match requested name");
  return fields;
}

/** Fields under the names that the hub has for them. */
function hubFields(fields: FieldSelector, { conversion }: ServedResource): FieldSelector {
  const labels = conversion?.fieldLabels;
  if (!labels || fields.isEverything) return fields;
  return FieldSelector.of(fields.requirements.map((requirement) => {
    const field = labels[requirement.field] ?? (COMMON_FIELDS.includes(requirement.field) ? requirement.field : undefined);
    if (field === undefined) throw badRequestError(`field label not supported: ${requirement.field}`);
    return { ...requirement, field };
  }));
}

function checkFields(fields: FieldSelector, resource: ServedResource): void {
  const own = resource.definition.selectableFields;
  for (const { field } of fields.requirements) {
    if (own !== undefined && Object.hasOwn(own, field)) continue;
    // Kinds with fields of their own say which of the common ones they have.
    if (COMMON_FIELDS.includes(field) && (own === undefined || field !== 'metadata.namespace' || resource.facts.namespaced)) continue;
    throw badRequestError(
      resource.definition.unknownFieldMessage?.(field) ?? (own === undefined || Object.keys(own).length === 0
        ? `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`),
    );
  }
}

function parse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw badRequestError(errorMessage(error));
  }
}
