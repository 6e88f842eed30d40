/** Where upstream keeps the types of a group; clients see it in messages about unknown kinds. */
export function schemeName(group: string): string {
  switch (group) {
    case 'apiextensions.k8s.io':
      return 'pkg/apiserver/apiserver.go:55';
    case 'apiregistration.k8s.io':
      return 'pkg/apiserver/scheme/scheme.go:28';
    default:
      return 'pkg/api/legacyscheme/scheme.go:30';
  }
}

/** Where it keeps the options of requests. */
export const OPTIONS_SCHEME = 'pkg/apis/meta/internalversion/scheme/register.go:27';
