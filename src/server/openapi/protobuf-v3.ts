import type { DocumentForm } from './document-form.js';
import { fieldsOf, headOf, mapEntries } from './protobuf-entries.js';
import { any, double, flag, integer, mapOf, message, namedOf, oneOf, text, type Field, type Kind } from './protobuf-message.js';

/** An OpenAPI v3 document, as far as this must know it. */
export interface OpenApiV3 {
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>>; readonly securitySchemes?: Readonly<Record<string, unknown>> };
}

// Field numbers of the messages of gnostic's OpenAPIv3.proto, which clients of Kubernetes read; fields that the published documents never have are left out.

/** The thing itself, or a reference to it. */
function orReference(kind: Kind): Kind {
  return oneOf((value) => ('$ref' in value ? [2, reference] : [1, kind]));
}

/** The same kind for values that are brought into its form first. */
function changed(kind: Kind, change: (value: Readonly<Record<string, unknown>>) => object): Kind {
  return { wire: kind.wire, write: (value, writer) => kind.write(change(value as Readonly<Record<string, unknown>>), writer) };
}

const reference = message(() => [[1, '$ref', text], [2, 'summary', text], [3, 'description', text]]);
const schema: Kind = message(() => [
  [1, 'nullable', flag], [3, 'readOnly', flag], [4, 'writeOnly', flag], [7, 'example', any], [8, 'deprecated', flag], [9, 'title', text], [10, 'multipleOf', double],
  [11, 'maximum', double], [12, 'exclusiveMaximum', flag], [13, 'minimum', double], [14, 'exclusiveMinimum', flag], [15, 'maxLength', integer], [16, 'minLength', integer],
  [17, 'pattern', text], [18, 'maxItems', integer], [19, 'minItems', integer], [20, 'uniqueItems', flag], [21, 'maxProperties', integer], [22, 'minProperties', integer],
  [23, 'required', text, 'many'], [24, 'enum', any, 'many'], [25, 'type', text], [26, 'allOf', schemaOrReference, 'many'], [27, 'oneOf', schemaOrReference, 'many'],
  [28, 'anyOf', schemaOrReference, 'many'], [29, 'not', schema], [30, 'items', items], [31, 'properties', mapOf(schemaOrReference)], [32, 'additionalProperties', additional],
  [33, 'default', byDefault], [34, 'description', text], [35, 'format', text], [36, 'x-', any],
]);
const schemaOrReference = orReference(schema);
const items = changed(message(() => [[1, 'items', schemaOrReference]]), (value) => ({ items: value }));
const allowed = oneOf(() => [2, flag]);
const restricted = oneOf(() => [1, schemaOrReference]);
const additional: Kind = { wire: 2, write: (value, writer) => (typeof value === 'boolean' ? allowed : restricted).write(value, writer) };
const scalar = oneOf((value: unknown) => (typeof value === 'string' ? [3, text] : typeof value === 'boolean' ? [2, flag] : [1, double]));
/** Of other values the form only says that there is one. */
const byDefault: Kind = { wire: 2, write: (value, writer) => (typeof value === 'object' ? writer.varint(0) : scalar.write(value, writer)) };

const mediaTypes = mapOf(message(() => [[1, 'schema', schemaOrReference], [2, 'example', any], [5, 'x-', any]]));
const parameter = message(() => [
  [1, 'name', text], [2, 'in', text], [3, 'description', text], [4, 'required', flag], [5, 'deprecated', flag], [6, 'allowEmptyValue', flag], [7, 'style', text], [8, 'explode', flag],
  [9, 'allowReserved', flag], [10, 'schema', schemaOrReference], [11, 'example', any], [13, 'content', mediaTypes], [14, 'x-', any],
]);
const requestBody = message(() => [[1, 'description', text], [2, 'content', mediaTypes], [3, 'required', flag], [4, 'x-', any]]);
const response = orReference(message(() => [[1, 'description', text], [3, 'content', mediaTypes], [5, 'x-', any]]));
const responses = changed(message(() => [[1, 'default', response], [2, 'codes', namedOf(response), 'many']]), ({ default: other, ...codes }) => ({ default: other, codes: Object.entries(codes) }));
const operation = message(() => [
  [1, 'tags', text, 'many'], [2, 'summary', text], [3, 'description', text], [5, 'operationId', text], [6, 'parameters', orReference(parameter), 'many'],
  [7, 'requestBody', orReference(requestBody)], [8, 'responses', responses], [10, 'deprecated', flag], [13, 'x-', any],
]);
const pathItem = message(() => [
  [1, '$ref', text], [2, 'summary', text], [3, 'description', text], [4, 'get', operation], [5, 'put', operation], [6, 'post', operation], [7, 'delete', operation],
  [8, 'options', operation], [9, 'head', operation], [10, 'patch', operation], [11, 'trace', operation], [13, 'parameters', orReference(parameter), 'many'], [14, 'x-', any],
]);
const info = message(() => [[1, 'title', text], [2, 'description', text], [6, 'version', text], [7, 'x-', any]]);
const securityScheme = orReference(message(() => [[1, 'type', text], [2, 'description', text], [3, 'name', text], [4, 'in', text], [5, 'scheme', text], [6, 'bearerFormat', text]]));
const securitySchemes: readonly Field[] = [[7, 'securitySchemes', mapOf(securityScheme)]];
const BEFORE: readonly Field[] = [[1, 'openapi', text], [2, 'info', info]];

/** Where paths and components stand in a document, and schemas in the components. */
export const V3_PATHS_FIELD = 4;
export const V3_COMPONENTS_FIELD = 5;
export const V3_SCHEMAS_FIELD = 1;

/** Paths and schemas of an OpenAPI v3 document in the protobuf form that clients may ask for. */
export const V3_PROTOBUF: DocumentForm = {
  version: 3,
  paths: (paths) => mapEntries(paths, 1, pathItem),
  schemas: (schemas) => mapEntries(schemas, 1, schemaOrReference),
};

/** What stands before them. */
export function beforeV3(document: object): Buffer {
  return fieldsOf(BEFORE, document);
}

/** A whole document, in pieces. Takes its time, a bit at a turn. */
export async function openApiV3Protobuf(document: OpenApiV3): Promise<Buffer[]> {
  const paths = await V3_PROTOBUF.paths(document.paths ?? {});
  const schemas = await V3_PROTOBUF.schemas(document.components?.schemas ?? {});
  const components = [...(schemas.length > 0 ? [headOf(V3_SCHEMAS_FIELD, [schemas]), schemas] : []), fieldsOf(securitySchemes, document.components ?? {})];
  return [beforeV3(document), headOf(V3_PATHS_FIELD, [paths]), paths, headOf(V3_COMPONENTS_FIELD, components), ...components];
}
