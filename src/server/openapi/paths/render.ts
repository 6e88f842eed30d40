import type { Operation, PathOperations, Payload } from './operation.js';
import { parameterOf, type Parameter } from './parameters.js';

type Json = Record<string, unknown>;

/** Operations of paths in OpenAPI v3. */
export function renderPathsV3(paths: readonly PathOperations[]): Json {
  return renderPaths(paths, (operation, parameters) => ({
    description: operation.description,
    operationId: operation.operationId,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterV3) } : {}),
    ...(operation.body ? { requestBody: { content: contentV3(operation.body.payload, operation.body.types), ...(operation.body.required ? { required: true } : {}) } } : {}),
    responses: {
      ...Object.fromEntries(operation.responses.map(({ code, description, payload }) => [code, { ...(payload ? { content: contentV3(payload, operation.produces) } : {}), description }])),
      401: { description: 'Unauthorized' },
    },
    tags: [operation.tag],
    ...extensions(operation),
  }), parameterV3);
}

/** Operations of paths in OpenAPI v2. */
export function renderPathsV2(paths: readonly PathOperations[]): Json {
  return renderPaths(paths, (operation, parameters) => {
    const body = operation.body && { in: 'body', name: 'body', ...(operation.body.required ? { required: true } : {}), schema: schemaOf(operation.body.payload, '#/definitions/') };
    const list = [...(body ? [body] : []), ...parameters.map(parameterV2)];
    return {
      ...(operation.consumes.length > 0 ? { consumes: operation.consumes } : {}),
      description: operation.description,
      operationId: operation.operationId,
      ...(list.length > 0 ? { parameters: list } : {}),
      produces: operation.produces,
      responses: {
        ...Object.fromEntries(operation.responses.map(({ code, description, payload }) => [code, { description, ...(payload ? { schema: schemaOf(payload, '#/definitions/') } : {}) }])),
        401: { description: 'Unauthorized' },
      },
      schemes: ['https'],
      tags: [operation.tag],
      ...extensions(operation),
    };
  }, parameterV2);
}

function renderPaths(paths: readonly PathOperations[], render: (operation: Operation, own: readonly Parameter[]) => Json, parameter: (parameter: Parameter) => Json): Json {
  const out: Json = {};
  for (const { path, subject, operations } of [...paths].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([key]) => key);
    const shared = inPath.concat(operations[0]!.parameters.filter((key) => operations.every((operation) => operation.parameters.includes(key))));
    const sorted = (keys: readonly string[]): Parameter[] =>
      keys.map((key) => parameterOf(key, subject)).sort((a, b) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1));
    const item: Json = {};
    for (const operation of operations) item[operation.method] = render(operation, sorted(operation.parameters.filter((key) => !shared.includes(key))));
    if (shared.length > 0) item.parameters = sorted(shared).map(parameter);
    out[path] = item;
  }
  return out;
}

function parameterV2({ name, in: place, type, description }: Parameter): Json {
  return { description, in: place, name, ...(place === 'path' ? { required: true } : {}), type, uniqueItems: true };
}

function parameterV3({ name, in: place, type, description }: Parameter): Json {
  return { description, in: place, name, ...(place === 'path' ? { required: true } : {}), schema: { type, uniqueItems: true } };
}

function contentV3(payload: Payload, types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaOf(payload, '#/components/schemas/') }]));
}

function schemaOf(payload: Payload, prefix: string): Json {
  return payload === 'string' ? { type: 'string' } : { $ref: `${prefix}${payload.definition}` };
}

function extensions({ action, kind }: Operation): Json {
  return { ...(action ? { 'x-kubernetes-action': action } : {}), ...(kind ? { 'x-kubernetes-group-version-kind': kind } : {}) };
}
