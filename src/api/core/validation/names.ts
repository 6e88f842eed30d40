import { invalid, type FieldError } from '../../meta/field-error.js';
import type { FieldPath } from '../../meta/field-path.js';
import type { Messages } from '../../meta/validation/messages.js';
import { dns1123Label, dns1123Subdomain, pathSegmentName } from '../../meta/validation/names.js';

/** Rules for names as fields: one "Invalid value" for each thing that is wrong. */
type FieldRule = (value: string, path: FieldPath) => FieldError[];

const fieldRule = (rule: (value: string) => Messages): FieldRule => (value, path) => rule(value).map((message) => invalid(path, value, message));

export const validateDnsLabel = fieldRule(dns1123Label);
export const validateDnsSubdomain = fieldRule(dns1123Subdomain);
export const validatePathSegment = fieldRule((value) => pathSegmentName(value));
