// What of an answer is compared: code, reason, causes (or the message where there are none), and the object without what differs by nature.

const DROP = new Set(['uid', 'creationTimestamp', 'resourceVersion', 'managedFields', 'selfLink']);

/** The comparable part of an answer; with its warnings, if they are given. */
export function factsOf(status, object, warnings = []) {
  const facts = answerOf(status, object);
  return warnings.length > 0 ? { ...facts, warnings: warnings.map(clean) } : facts;
}

/** The texts of the values of `Warning` headers. */
export function warningsOf(values) {
  return values.flatMap((value) => [...value.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replace(/\\(.)/g, '$1')));
}

function answerOf(status, object) {
  if (object?.kind === 'Status' && object.status === 'Failure') {
    const causes = (object.details?.causes ?? []).map((cause) => [cause.reason ?? '', cause.field ?? '', cause.message ?? ''].join('|')).sort();
    return { code: status, reason: object.reason ?? '', ...(causes.length ? { causes: causes.map(clean) } : { message: clean(object.message ?? '') }) };
  }
  return { code: status, object: flatten(object) };
}

/** Takes out what differs from server to server, and what only a server in Go can print: its own structs as bad values. */
function clean(text) {
  return text
    .replace(/((?:Invalid|Unsupported|Duplicate) value: )(?:\{.*\}|\[\{.*\}\]|"\{\\".*\}")(?=$|: )/g, '$1{…}')
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
    .replace(/in record \(\d+\)/, 'in record (#)')
    .replace(/(ResourceVersion in object meta: )\d+/, '$1#')
    .replace(/\b(Gen_)[a-z0-9]{5}/g, '$1*')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*').replace(/(gen-)[a-z0-9]{5}\b/g, '$1*').replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>').replace(/UID in object meta: ?[^"]*/g, 'UID in object meta: <uid>');
}

/** A token to go on with a list, without the revision that it was made at. */
function withoutRevision(token) {
  const text = Buffer.from(token, 'base64url').toString();
  return text.startsWith('{') ? text.replace(/"rv":\d+/, '"rv":#') : token;
}

/** Every leaf by its path; times and generated parts are replaced by marks. */
export function flatten(value, path = '', into = {}) {
  if (Array.isArray(value)) {
    if (value.length === 0) into[path] = '[]';
    value.forEach((item, i) => flatten(item, `${path}[${i}]`, into));
  } else if (value && typeof value === 'object') {
    const keys = Object.keys(value);
    if (keys.length === 0) into[path] = '{}';
    for (const key of keys) if (!DROP.has(key)) flatten(value[key], path === '' ? key : `${path}.${key}`, into);
  } else if (path === 'metadata.continue') {
    into[path] = JSON.stringify(withoutRevision(value));
  } else if (typeof value === 'string') {
    into[path] = JSON.stringify(clean(value).replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, (time) => (time.startsWith('2026-01-01') ? time : '<time>')).replace(/^\d+[smhd](\d+[smh])?$/, '<age>'));
  } else into[path] = JSON.stringify(value ?? null);
  return into;
}

/** The changes that make `to` of `from`; both flat. */
export function difference(from, to) {
  const set = {};
  for (const [path, leaf] of Object.entries(to)) if (from[path] !== leaf) set[path] = leaf;
  const unset = Object.keys(from).filter((path) => !(path in to));
  return { ...(Object.keys(set).length ? { set } : {}), ...(unset.length ? { unset } : {}) };
}

/** The flat object that `difference` was taken of. */
export function restore(from, { set = {}, unset = [] }) {
  const result = { ...from, ...set };
  for (const path of unset) delete result[path];
  return result;
}
