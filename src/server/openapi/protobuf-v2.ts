import type { DocumentForm } from './document-form.js';
import { fieldsOf, mapEntries } from './protobuf-entries.js';
import { any, flag, listOf, mapOf, message, oneOf, text, type Field, type Kind } from './protobuf-message.js';

// Field numbers of the messages of gnostic's OpenAPIv2.proto, which clients of Kubernetes read; fields that the published documents never have are left out.

const schema: Kind = message(() => [
  [1, '$ref', text], [2, 'format', text], [3, 'title', text], [4, 'description', text], [5, 'default', any], [13, 'pattern', text], [16, 'uniqueItems', flag],
  [19, 'required', text, 'many'], [20, 'enum', any, 'many'], [21, 'additionalProperties', additional], [22, 'type', listOf(text)], [23, 'items', listOf(schema)],
  [24, 'allOf', schema, 'many'], [25, 'properties', mapOf(schema)], [27, 'readOnly', flag], [30, 'example', any], [31, 'x-', any],
]);
const additional: Kind = { wire: 2, write: (value, writer) => (typeof value === 'boolean' ? allowed : restricted).write(value, writer) };
const restricted = oneOf(() => [1, schema]);
const allowed = oneOf(() => [2, flag]);

const bodyParameter = message(() => [[1, 'description', text], [2, 'name', text], [3, 'in', text], [4, 'required', flag], [5, 'schema', schema], [6, 'x-', any]]);
const HEAD: readonly Field[] = [[1, 'required', flag], [2, 'in', text], [3, 'description', text], [4, 'name', text]];
const headerParameter = message(() => [...HEAD, [5, 'type', text], [6, 'format', text], [19, 'uniqueItems', flag], [22, 'x-', any]]);
const queryParameter = message(() => [...HEAD, [6, 'type', text], [7, 'format', text], [20, 'uniqueItems', flag], [23, 'x-', any]]);
const otherParameter = oneOf((value) => (value['in'] === 'query' ? [3, queryParameter] : value['in'] === 'header' ? [1, headerParameter] : [4, headerParameter]));
const parameter = oneOf((value) => (value['in'] === 'body' ? [1, bodyParameter] : [2, otherParameter]));
const reference = message(() => [[1, '$ref', text], [2, 'description', text]]);
const parameterItem = oneOf((value) => ('$ref' in value ? [2, reference] : [1, parameter]));

const response = message(() => [[1, 'description', text], [2, 'schema', oneOf(() => [1, schema])], [5, 'x-', any]]);
const responses = mapOf(oneOf((value) => ('$ref' in value ? [2, reference] : [1, response])));
const security = mapOf(listOf(text));
const operation = message(() => [
  [1, 'tags', text, 'many'], [2, 'summary', text], [3, 'description', text], [5, 'operationId', text], [6, 'produces', text, 'many'], [7, 'consumes', text, 'many'],
  [8, 'parameters', parameterItem, 'many'], [9, 'responses', responses], [10, 'schemes', text, 'many'], [11, 'deprecated', flag], [12, 'security', security, 'many'], [13, 'x-', any],
]);
const pathItem = message(() => [
  [1, '$ref', text], [2, 'get', operation], [3, 'put', operation], [4, 'post', operation], [5, 'delete', operation], [6, 'options', operation], [7, 'head', operation],
  [8, 'patch', operation], [9, 'parameters', parameterItem, 'many'], [10, 'x-', any],
]);

const info = message(() => [[1, 'title', text], [2, 'version', text], [3, 'description', text], [7, 'x-', any]]);
const basic = message(() => [[1, 'type', text], [2, 'description', text], [3, 'x-', any]]);
const apiKey = message(() => [[1, 'type', text], [2, 'name', text], [3, 'in', text], [4, 'description', text], [5, 'x-', any]]);
const securityDefinition = oneOf((value) => (value['type'] === 'basic' ? [1, basic] : [2, apiKey]));

/** What stands before paths and definitions in a document, and what stands behind. */
const BEFORE: readonly Field[] = [[1, 'swagger', text], [2, 'info', info], [3, 'host', text], [4, 'basePath', text], [5, 'schemes', text, 'many'], [6, 'consumes', text, 'many'], [7, 'produces', text, 'many']];
const AFTER: readonly Field[] = [[10, 'parameters', mapOf(parameter)], [12, 'security', security, 'many'], [13, 'securityDefinitions', mapOf(securityDefinition)], [16, 'x-', any]];

/** Where paths and definitions stand in a document. */
export const V2_PATHS_FIELD = 8;
export const V2_DEFINITIONS_FIELD = 9;

/** Paths and definitions of an OpenAPI v2 document in the protobuf form that client-go asks for. */
export const V2_PROTOBUF: DocumentForm = {
  version: 2,
  paths: (paths) => mapEntries(paths, 2, pathItem),
  schemas: (definitions) => mapEntries(definitions, 1, schema),
};

/** What stands around them. */
export function aroundV2(document: object): { readonly before: Buffer; readonly after: Buffer } {
  return { before: fieldsOf(BEFORE, document), after: fieldsOf(AFTER, document) };
}
