/**
 * What stands for a key that an element of a `map` list leaves out, by definition and field, where it is not the zero value of a required field.
 * Source: `default` in upstream's OpenAPI.
 */
export const LIST_KEY_DEFAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'io.k8s.api.core.v1.ContainerPort': { protocol: 'TCP' },
  'io.k8s.api.core.v1.ServicePort': { protocol: 'TCP' },
  'io.k8s.api.core.v1.LocalObjectReference': { name: '' },
};
