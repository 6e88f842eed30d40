/** A type whose JSON form is not that of its fields. */
export interface SpecialType {
  /** Definition name. */
  readonly name: string;
  readonly description: string;
  /** OpenAPI v2 and v3 schema, without the description; `v3` where it differs. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly v3?: Readonly<Record<string, unknown>>;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Types with their own JSON form, by the name upstream's Go code gives them. The descriptions are ours. */
export const SPECIAL_TYPES: Readonly<Record<string, SpecialType>> = {
  'resource.Quantity': {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    description:
      'An exact amount: a decimal number with an optional suffix. Suffixes are n, u, m, k, M, G, T, P, E (powers of 1000), Ki, Mi, Gi, Ti, Pi, Ei (powers of 1024) ' +
      'or an exponent such as e3. Amounts are answered in canonical form: 1000m as 1, 0.5 as 500m, 1024Mi as 1Gi.',
    schema: { type: 'string' },
    v3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  'v1.Time': {
    name: `${META}Time`,
    description: 'A time in RFC 3339 form, in whole seconds.',
    schema: { type: 'string', format: 'date-time' },
  },
  'v1.MicroTime': {
    name: `${META}MicroTime`,
    description: 'A time in RFC 3339 form, in microseconds.',
    schema: { type: 'string', format: 'date-time' },
  },
  'intstr.IntOrString': {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    description: 'A number, or text such as a percentage or the name of a port.',
    schema: { type: 'string', format: 'int-or-string' },
    v3: { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  },
  'runtime.RawExtension': {
    name: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
    description: 'Any JSON object; it is kept as it is.',
    schema: { type: 'object' },
  },
  'v1.FieldsV1': {
    name: `${META}FieldsV1`,
    description: "A set of fields as a tree: keys are f:<name> for a field, k:<keys> for an element of a list by its keys, v:<value> for one by its value, i:<index> for one by its place, and '.' for the node itself.",
    schema: { type: 'object' },
  },
  'v1.Patch': { name: `${META}Patch`, description: 'A patch; its form is given by the media type of the request.', schema: { type: 'object' } },
  'v1.JSON': { name: `${EXTENSIONS}JSON`, description: 'Any JSON value.', schema: {} },
  'v1.JSONSchemaPropsOrArray': { name: `${EXTENSIONS}JSONSchemaPropsOrArray`, description: 'A schema, or a list of schemas.', schema: {} },
  'v1.JSONSchemaPropsOrBool': { name: `${EXTENSIONS}JSONSchemaPropsOrBool`, description: 'A schema, or true or false.', schema: {} },
  'v1.JSONSchemaPropsOrStringArray': { name: `${EXTENSIONS}JSONSchemaPropsOrStringArray`, description: 'A schema, or a list of property names.', schema: {} },
  'v1.CustomResourceSubresourceStatus': {
    name: `${EXTENSIONS}CustomResourceSubresourceStatus`,
    description: 'Turns on the status subresource: writes to the object leave status alone, and writes to /status leave everything else alone.',
    schema: { type: 'object' },
  },
};

/** Named types that stand for a list or a map, where the wire form alone does not tell the elements. */
export const NAMED_COMPOSITES: Readonly<Record<string, string>> = {
  'v1.ResourceList': 'map[string]resource.Quantity',
  'v1.JSONSchemaDependencies': 'map[string]v1.JSONSchemaPropsOrStringArray',
};

/** Types without `metadata` that are kinds all the same. */
export const KINDS_WITHOUT_METADATA: readonly string[] = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'DeleteOptions', 'WatchEvent'].map((kind) => META + kind);

/** Kinds that belong to every group version, beside the one of the package. */
export const KINDS_OF_EVERY_GROUP_VERSION: readonly string[] = ['DeleteOptions', 'WatchEvent'].map((kind) => META + kind);

/** Group versions that own kinds of every group version, but serve no resource. */
export const UNSERVED_GROUP_VERSIONS: readonly string[] = ['admission.k8s.io/v1'];
