import type { V1Status, V1StatusCause } from './generated/types.js';
import type { FieldError } from './meta/field-error.js';
import { shown } from './meta/shown-text.js';

/** Characters of a message, and of all causes together; upstream knows no limit (docs/decisions/0009-long-messages.md). */
const MAX_CHARACTERS = 128 * 1024;
/** Kept free of errors in a list of them: for what stands around them. */
const FRAME_CHARACTERS = 1024;
/** Between two errors in a message. */
const SEPARATOR_CHARACTERS = 4;

/** A `Status` whose texts are no longer than an answer may be. Itself, but for very long ones. */
export function boundedStatus(status: V1Status): V1Status {
  const { message, details } = status;
  const causes = details?.causes;
  const isLong = (message?.length ?? 0) > MAX_CHARACTERS || (details?.name?.length ?? 0) > MAX_CHARACTERS || (causes !== undefined && fitting(causes) < causes.length);
  if (!isLong) return status;
  return {
    ...status,
    ...(message === undefined ? {} : { message: shown(message, MAX_CHARACTERS) }),
    ...(details ? { details: { ...details, ...(details.name === undefined ? {} : { name: shown(details.name, MAX_CHARACTERS) }), ...(causes ? { causes: boundedCauses(causes) } : {}) } } : {}),
  };
}

/** As many field errors as an answer has room for, one at least. `more`: what is to be said of the others; undefined when there are none. */
export function listedErrors(errors: readonly FieldError[]): { readonly listed: readonly FieldError[]; readonly more: string | undefined } {
  const count = Math.max(fitting(errors, MAX_CHARACTERS - FRAME_CHARACTERS, SEPARATOR_CHARACTERS), 1);
  return count === errors.length ? { listed: errors, more: undefined } : { listed: errors.slice(0, count), more: `${errors.length - count} more errors are not listed` };
}

function boundedCauses(causes: readonly V1StatusCause[]): V1StatusCause[] {
  const cut = (text: string | undefined): string | undefined => (text === undefined ? undefined : shown(text, MAX_CHARACTERS));
  return causes.slice(0, Math.max(fitting(causes), 1)).map((cause) => ({ ...cause, ...(cause.message === undefined ? {} : { message: cut(cause.message)! }), ...(cause.field === undefined ? {} : { field: cut(cause.field)! }) }));
}

/** How many of the texts have room, with `each` characters around each. */
function fitting(texts: readonly { readonly message?: string; readonly field?: string }[], room = MAX_CHARACTERS, each = 0): number {
  let left = room;
  for (let i = 0; i < texts.length; i++) {
    left -= (texts[i]!.message?.length ?? 0) + (texts[i]!.field?.length ?? 0) + each;
    if (left < 0) return i;
  }
  return texts.length;
}
