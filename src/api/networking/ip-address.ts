import type { V1IPAddress, V1ParentReference } from '../generated/types.js';
import { validateDnsSubdomain, validatePathSegment } from '../core/validation/names.js';
import { goForm } from '../helpers/go-form.js';
import { invalid, required, type FieldError } from '../meta/field-error.js';
import { deepEqual } from '../helpers/deep-equal.js';
import { FieldPath } from '../meta/field-path.js';
import { IMMUTABLE_MESSAGE } from '../meta/validation/immutable.js';
import { formatIp, parseIp } from '../meta/validation/ip.js';
import { groupResourceText } from '../meta/object.js';
import { NAME, text } from '../scheme/columns.js';
import { defineKind } from '../scheme/kind.js';
import { validateSegment } from './object-reference.js';

const PARENT = FieldPath.of('spec', 'parentRef');

export const ipAddress = defineKind<V1IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  tracksGeneration: false,
  validateName,
  generateNameIsName: true,
  defaults: (draft) => {
    // `spec` is always present in what upstream answers; its parent may be missing until validation says so.
    draft.spec ??= {} as NonNullable<typeof draft.spec>;
  },
  validate: (object) => validateParent(object.spec?.parentRef),
  validateUpdate: (object, old) => {
    const parent = object.spec?.parentRef;
    const errors = validateParent(parent);
    return deepEqual(parent, old.spec?.parentRef) ? errors : [...errors, invalid(PARENT, parent && goForm(parent, 'ParentReference'), IMMUTABLE_MESSAGE)];
  },
  columns: [
    NAME,
    text('ParentRef', (object) => {
      const parent = object.spec?.parentRef;
      if (parent === undefined) return '<none>';
      const resource = groupResourceText({ group: parent.group ?? '', resource: parent.resource }).toLowerCase();
      return [resource, ...(parent.namespace ? [parent.namespace] : []), parent.name].join('/');
    }),
  ],
});

/** The name is the address in its canonical form. */
function validateName(name: string): string[] {
  const ip = parseIp(name);
  if (ip === undefined) return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  if (ip.sloppy) return ['must not have leading 0s'];
  if (ip.mapped) return ['must not be an IPv4-mapped IPv6 address'];
  const canonical = formatIp(ip);
  return canonical === name ? [] : [`must be in canonical form ("${canonical}")`];
}

function validateParent(parent: V1ParentReference | undefined): FieldError[] {
  if (parent === undefined) return [required(PARENT)];
  return [
    ...(parent.group ? validateDnsSubdomain(parent.group, PARENT.child('group')) : []),
    ...validateSegment(parent.resource, PARENT.child('resource')),
    ...validateSegment(parent.name, PARENT.child('name')),
    ...(parent.namespace ? validatePathSegment(parent.namespace, PARENT.child('namespace')) : []),
  ];
}
