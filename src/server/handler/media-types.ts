import { unsupportedMediaTypeError } from '../../api/status-error.js';

/** The formats that bodies may have. */
export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const FORMATS: Readonly<Record<string, BodyFormat>> = { 'application/json': 'json', 'application/yaml': 'yaml', 'application/vnd.kubernetes.protobuf': 'protobuf' };

/** The format a `Content-Type` names; absent means JSON. Throws a 415 `Status` for others. */
export function bodyFormat(contentType: string): BodyFormat {
  const format = contentType === '' ? 'json' : FORMATS[bareMediaType(contentType)];
  if (format === undefined) throw unsupportedBodyError(Object.keys(FORMATS));
  return format;
}

/** Refuses bodies that objects of custom kinds cannot have: they have no protobuf form. Throws a 415 `Status`. */
export function checkCustomFormat(contentType: string): void {
  if (bodyFormat(contentType) === 'protobuf') throw unsupportedBodyError(Object.keys(FORMATS).filter((type) => FORMATS[type] !== 'protobuf'));
}

/** Whether a `Content-Type` names YAML: objects, or the configuration of a server-side apply. */
export function isYaml(contentType: string): boolean {
  const type = bareMediaType(contentType);
  return type === 'application/yaml' || type === 'application/apply-patch+yaml';
}

/** A media type without its parameters. */
export function bareMediaType(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** 415 that names what would be accepted. */
export function unsupportedBodyError(accepted: readonly string[]): Error {
  return unsupportedMediaTypeError(`the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`);
}
