/**
 * What upstream's agent says under these paths when its configuration leaves them out, as this one always does. `/logs/` is left out since the agent is root
 * and pods may put links below `/var/log`; the debug endpoints, since they are of Go's runtime.
 */
const DISABLED: readonly (readonly [path: string, message: string])[] = [
  ['/logs/', 'logs endpoint is disabled.'],
  ['/debug/pprof/', 'profiling endpoint is disabled.'],
  ['/debug/flags/v', 'flags endpoint is disabled.'],
];

/** The message for a path that is left out on purpose, to be answered with 405; undefined for any other. */
export function disabledEndpoint(path: string): string | undefined {
  return DISABLED.find(([disabled]) => path === disabled || `${path}/` === disabled || (disabled.endsWith('/') && path.startsWith(disabled)))?.[1];
}
