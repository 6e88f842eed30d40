// Reading a Swagger document.

/** The definition that a schema refers to, or the schema itself. */
export function resolve(swagger, schema) {
  return schema.$ref ? swagger.definitions[schema.$ref.slice('#/definitions/'.length)] : schema;
}

/** The definition of an object by its group, version and kind. */
export function definitionOf(swagger, object) {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion];
  return Object.values(swagger.definitions).find((definition) =>
    definition['x-kubernetes-group-version-kind']?.some((gvk) => gvk.group === group && gvk.version === version && gvk.kind === object.kind) && definition.properties);
}

const NAMES = new WeakMap();

/** Gives every definition its name, for {@link nameOf}. */
export function nameDefinitions(swagger) {
  for (const [name, definition] of Object.entries(swagger.definitions)) NAMES.set(definition, name.replace(/^io\.k8s\.(api|apimachinery\.pkg\.apis)\./, ''));
}

/** Short name of a definition; empty for a schema in place. */
export function nameOf(definition) {
  return NAMES.get(definition) ?? '';
}
