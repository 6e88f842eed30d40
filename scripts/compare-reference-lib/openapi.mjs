// Compares OpenAPI documents: definitions by their facts, paths by their operations. Descriptions are not compared.
import { isObject } from './differences.mjs';

const UNSTABLE = /v\d+(alpha|beta)\d+/;

/** v2 and v3 of the same definitions. */
export function compareOpenApi(differences, ours, reference, served) {
  compareDocument(differences, 'v2', normalizeV2(ours.v2, served), normalizeV2(reference.v2, served));
  for (const name of differences.compareNames('v3 document', ours.v3.keys(), reference.v3.keys())) {
    compareDocument(differences, `v3 ${name}`, normalizeV3(ours.v3.get(name), served), normalizeV3(reference.v3.get(name), served));
  }
}

function compareDocument(differences, label, ours, theirs) {
  for (const name of differences.compareNames(`${label} definition`, Object.keys(ours.schemas), Object.keys(theirs.schemas))) {
    differences.compare(`${label} ${name}`, ours.schemas[name], theirs.schemas[name]);
  }
  for (const path of differences.compareNames(`${label} path`, Object.keys(ours.paths), Object.keys(theirs.paths))) comparePath(differences, `${label} ${path}`, label.split(' ')[0], ours.paths[path], theirs.paths[path]);
}

function comparePath(differences, label, version, ours, theirs) {
  for (const method of differences.compareNames(`${label} method`, Object.keys(ours), Object.keys(theirs))) {
    const [a, b] = [ours[method], theirs[method]];
    const place = `${label} ${method}`;
    // Where a parameter or a media type is missing everywhere, one line says it.
    for (const name of names(a.parameters, b.parameters)) {
      const [mine, other] = [a.parameters[name], b.parameters[name]];
      if (mine === undefined || other === undefined) differences.add(`${version} parameter ${name}: only ${mine ? 'ours' : 'in the reference'}`);
      else differences.compare(`${place} parameter ${name}`, mine, other);
    }
    for (const key of ['consumes', 'produces']) {
      for (const type of names(a[key], b[key])) {
        if (!a[key][type] || !b[key][type]) differences.add(`${version} media type ${type}: only ${a[key][type] ? 'ours' : 'in the reference'}`);
      }
    }
    differences.compare(place, { ...a, parameters: undefined, consumes: undefined, produces: undefined }, { ...b, parameters: undefined, consumes: undefined, produces: undefined });
  }
}

function names(a, b) {
  return new Set([...Object.keys(a), ...Object.keys(b)]);
}

function normalizeV2(document, served) {
  const schemas = {};
  for (const [name, schema] of Object.entries(document.definitions)) if (isStableName(name)) schemas[name] = normalizeSchema(schema, served);
  const paths = {};
  for (const [path, item] of Object.entries(document.paths)) {
    if (!isStablePath(path, served)) continue;
    const resolve = (list = []) => list.map((parameter) => (parameter.$ref ? document.parameters[parameter.$ref.split('/').pop()] : parameter));
    paths[path] = operations(item, (operation) => {
      const all = [...resolve(item.parameters), ...resolve(operation.parameters)];
      const body = all.find((parameter) => parameter.in === 'body');
      return {
        ...common(operation),
        parameters: Object.fromEntries(all.filter((parameter) => parameter.in !== 'body').map((parameter) => [`${parameter.in} ${parameter.name}`, without(parameter, ['description', 'in', 'name'])])),
        body: body && { required: body.required ?? false, schema: body.schema },
        responses: Object.fromEntries(Object.entries(operation.responses).map(([code, response]) => [code, response.schema ?? null])),
        consumes: marks(operation.body || body ? operation.consumes : []),
        produces: marks(operation.produces),
      };
    });
  }
  return { schemas, paths };
}

function normalizeV3(document, served) {
  const schemas = {};
  for (const [name, schema] of Object.entries(document.components.schemas ?? {})) if (isStableName(name)) schemas[name] = normalizeSchema(schema, served);
  const paths = {};
  for (const [path, item] of Object.entries(document.paths)) {
    if (!isStablePath(path, served)) continue;
    paths[path] = operations(item, (operation) => {
      const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const payload = (content) => (content ? Object.values(content)[0].schema : null);
      return {
        ...common(operation),
        parameters: Object.fromEntries(all.map((parameter) => [`${parameter.in} ${parameter.name}`, without(parameter, ['description', 'in', 'name'])])),
        body: operation.requestBody && { required: operation.requestBody.required ?? false, schema: payload(operation.requestBody.content) },
        responses: Object.fromEntries(Object.entries(operation.responses).map(([code, response]) => [code, payload(response.content)])),
        consumes: marks(Object.keys(operation.requestBody?.content ?? {})),
        produces: marks(Object.values(operation.responses).flatMap((response) => Object.keys(response.content ?? {}))),
      };
    });
  }
  return { schemas, paths };
}

function operations(item, normalize) {
  return Object.fromEntries(Object.entries(item).filter(([method]) => method !== 'parameters').map(([method, operation]) => [method, normalize(operation)]));
}

function common(operation) {
  return { operationId: operation.operationId, action: operation['x-kubernetes-action'], kind: operation['x-kubernetes-group-version-kind'], tags: operation.tags };
}

function marks(types = []) {
  return Object.fromEntries(types.map((type) => [type, true]));
}

/** A schema without its texts; kinds of versions that are not served are left out. A reference is the same with and without `allOf` around it. */
function normalizeSchema(schema, served) {
  const { description: _, ...rest } = schema;
  if (rest.allOf?.length === 1 && rest.allOf[0].$ref) {
    rest.$ref = rest.allOf[0].$ref;
    delete rest.allOf;
  }
  const out = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === 'properties') out[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, normalizeSchema(property, served)]));
    else if (key === 'x-kubernetes-group-version-kind') out[key] = Object.fromEntries(value.filter((gvk) => isServed(gvk, served)).map((gvk) => [`${gvk.group}/${gvk.version} ${gvk.kind}`, true]));
    else if (key === 'required') out[key] = [...value].sort();
    else out[key] = isObject(value) && key !== 'default' ? normalizeSchema(value, served) : value;
  }
  return out;
}

function isServed({ group, version }, served) {
  return !UNSTABLE.test(version) && (served.has(group) || group === 'admission.k8s.io');
}

function isStableName(name) {
  return !UNSTABLE.test(name);
}

function isStablePath(path, served) {
  if (UNSTABLE.test(path)) return false;
  const group = /^\/apis\/([^/]+)\//.exec(path)?.[1];
  return group === undefined || served.has(group);
}

function without(object, keys) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
