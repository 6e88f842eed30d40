/**
 * What the client's models do not say about the types of one upstream package, in a short notation.
 * Only fields that differ from the ordinary case are listed; `plain` names the types without any such field.
 *
 * A type is a list of entries separated by `;`:
 *
 *     field[marks] [type] [+attribute...]      one field
 *     @atomic                                  the object is replaced as a whole by server-side apply
 *     @union(discriminator; field=Value ...)   a union
 *     ^Embedded(field ...)                     fields that come from an embedded struct (messages of wrong types name it)
 *
 * The ordinary case: a required field is held by value and always written; an optional one is left out when empty, held by pointer when it
 * is an object, by value otherwise. The marks say what is different:
 *
 *     *   held by pointer: `0`, `false` and `""` differ from absent
 *     =   an object held by value: always written, as `{}` when it is empty
 *     !   written even when it is empty (`null`, `""`, `0`)
 *     ?   required, but left out when it is empty
 *     ~   by value, left out when it is zero
 *
 * The type is that of upstream, when its name is not implied by the wire type; the package's own prefix (`v1.`) is left out.
 *
 *     +atomic +set +map(key,...)      list type
 *     +merge(key) +strategy(s,...)    strategic merge patch; a merge key implies the strategy `merge`
 *     +atomicmap +granularmap         map type
 *     +default(json)                  default in OpenAPI, where it is not the zero value
 */
export interface PackageFacts {
  /** Prefix of the definitions' names: `io.k8s.api.core.v1`. */
  readonly package: string;
  /** API group of the package's kinds; absent when it has none. */
  readonly group?: string;
  readonly version: string;
  readonly plain: string;
  readonly types: Readonly<Record<string, string>>;
  /** Values of named string types, separated by `|`; `""` is the empty value. */
  readonly enums?: Readonly<Record<string, string>>;
}
