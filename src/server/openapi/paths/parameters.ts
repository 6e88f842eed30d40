/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

function query(name: string, type: Parameter['type'], description: string): Parameter {
  return { name, in: 'query', type, description };
}

const LIST: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Ask a watch for BOOKMARK events, which tell how far it has come when nothing else happens.'),
  query('continue', 'string', 'The token of the previous page; it stands for the same selection, and expires after some minutes.'),
  query('fieldSelector', 'string', 'Only objects whose fields match, e.g. metadata.name=a,status.phase!=Running.'),
  query('labelSelector', 'string', 'Only objects whose labels match, e.g. app=web,tier in (front,back),!canary.'),
  query('limit', 'integer', 'The most objects in one answer; more are told by a continue token in its metadata.'),
  query('resourceVersion', 'string', 'The resource version that the answer is to be at; what that means is up to resourceVersionMatch.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Begin a watch with an ADDED event for each object and a BOOKMARK after the last of them.'),
  query('timeoutSeconds', 'integer', 'How long a list or watch may take, whatever happens on it.'),
];

const WRITE: readonly Parameter[] = [
  query('dryRun', 'string', 'All: go through every stage, but do not store the outcome.'),
  query('fieldManager', 'string', 'The name under which the changed fields are kept in metadata.managedFields.'),
  query('fieldValidation', 'string', 'What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict.'),
];

const DELETE: readonly Parameter[] = [
  query('dryRun', 'string', 'All: go through every stage, but do not store the outcome.'),
  query('gracePeriodSeconds', 'integer', 'How long the object has to end by itself; 0: not at all. Default: what its kind says.'),
  query('ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean', 'Delete an object that cannot be read from the store any more, whatever depends on it.'),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. Whether dependents are orphaned.'),
  query('propagationPolicy', 'string', 'What becomes of dependents: Orphan, Background or Foreground.'),
];

const OTHERS: readonly Parameter[] = [
  query('pretty', 'string', 'true: indent the answer for reading.'),
  query('watch', 'boolean', 'Stream changes instead of listing.'),
  query('force', 'boolean', 'Take over fields of other managers; only with apply patches.'),
  { name: 'namespace', in: 'path', type: 'string', description: 'The namespace of the object.' },
  { name: 'path', in: 'path', type: 'string', description: 'What follows in the path of the proxied request.' },
];

/** Options in the query of requests to subresources, by the kind that gathers them. */
export const OPTION_PARAMETERS: Readonly<Record<string, readonly Parameter[]>> = {
  PodAttachOptions: [
    query('container', 'string', 'The container; may be left out when there is only one.'),
    query('stderr', 'boolean', 'Pass on standard error; default true.'),
    query('stdin', 'boolean', 'Pass on standard input; default false.'),
    query('stdout', 'boolean', 'Pass on standard output; default true.'),
    query('tty', 'boolean', 'Attach to a terminal; default false.'),
  ],
  PodExecOptions: [
    query('command', 'string', 'The command and its arguments, one each; not run in a shell.'),
    query('container', 'string', 'The container; may be left out when there is only one.'),
    query('stderr', 'boolean', 'Pass on standard error.'),
    query('stdin', 'boolean', 'Pass on standard input; default false.'),
    query('stdout', 'boolean', 'Pass on standard output.'),
    query('tty', 'boolean', 'Make a terminal for the command; default false.'),
  ],
  PodPortForwardOptions: [query('ports', 'integer', 'The ports to forward; needed when the connection is a WebSocket.')],
  PodProxyOptions: [query('path', 'string', 'The path of the request to the pod.')],
  NodeProxyOptions: [query('path', 'string', 'The path of the request to the node agent.')],
  ServiceProxyOptions: [query('path', 'string', 'The path of the request to the service.')],
  log: [
    query('container', 'string', 'The container; may be left out when there is only one.'),
    query('follow', 'boolean', 'Go on with what is still to come; default false.'),
    query('insecureSkipTLSVerifyBackend', 'boolean', "Do not check the node agent's certificate; the log may then be anyone's."),
    query('limitBytes', 'integer', 'End the log after this many bytes.'),
    query('pretty', 'string', 'true: indent the answer for reading.'),
    query('previous', 'boolean', 'The log of the instance before the last restart; default false.'),
    query('sinceSeconds', 'integer', 'Only lines that are no older than this.'),
    query('stream', 'string', 'Which stream: All (the default), Stdout or Stderr.'),
    query('tailLines', 'integer', 'Only the last lines, this many.'),
    query('timestamps', 'boolean', 'Put an RFC 3339 time before each line; default false.'),
  ],
};

const TABLE = new Map<string, Parameter>([...LIST, ...WRITE, ...DELETE, ...OTHERS].map((parameter) => [parameter.in === 'path' ? `{${parameter.name}}` : parameter.name, parameter]));
for (const [kind, list] of Object.entries(OPTION_PARAMETERS)) for (const parameter of list) TABLE.set(`${kind}.${parameter.name}`, parameter);

const names = (list: readonly Parameter[]): string[] => list.map(({ name }) => name);

/** Keys of the parameters of each kind of request. */
export const LIST_PARAMETERS: readonly string[] = [...names(LIST), 'watch'];
export const WRITE_PARAMETERS: readonly string[] = names(WRITE);
export const PATCH_PARAMETERS: readonly string[] = [...names(WRITE), 'force'];
export const DELETE_PARAMETERS: readonly string[] = names(DELETE);
export const DELETE_COLLECTION_PARAMETERS: readonly string[] = [...names(LIST).filter((name) => name !== 'allowWatchBookmarks'), ...names(DELETE)];

/** Keys of the parameters that a kind of options or `log` stands for. */
export function optionParameters(kind: string): string[] {
  return (OPTION_PARAMETERS[kind] ?? []).map(({ name }) => `${kind}.${name}`);
}

/** A parameter by its key: a name, `{name}` for one in the path, `<options>.<name>` for options of subresources. `subject` is what `{name}` names. */
export function parameterOf(key: string, subject: string): Parameter {
  if (key === '{name}') return { name: 'name', in: 'path', type: 'string', description: `The name of the ${subject}.` };
  const parameter = TABLE.get(key);
  if (parameter === undefined) throw new TypeError(`unknown parameter ${key}`);
  return parameter;
}
