/** Expands `$(NAME)` from `values`; unknown names stay as they are, and `$$` is a literal `$`. */
export function expandVariables(text: string, values: ReadonlyMap<string, string>): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$(\$|\(([^)]*)\))/g, (whole, escape: string, name: string | undefined) => {
    if (escape === '$') return '$';
    return values.get(name ?? '') ?? whole;
  });
}
