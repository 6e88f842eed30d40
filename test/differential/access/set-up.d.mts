export function collectionOf(object: { readonly kind: string; readonly apiVersion: string; readonly metadata: { readonly namespace?: string } }): string;
