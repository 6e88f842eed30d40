/** An object of the set-up. */
export interface SetUpObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Binds every default cluster role to a user of its own. */
export function roleBindings(clusterRoles: readonly string[]): readonly SetUpObject[];
