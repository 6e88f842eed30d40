// Parameters of reads and writes, selectors above all.
import { garbled, oddText } from './values.mjs';

const LABELS = ['app=base', 'app!=a', 'app in (a,b)', 'app notin (a)', '!app', 'app', 'a.b/c==d', 'app=', 'x>1', 'x<-1', 'a,b,c', 'app in (', 'in in (in)', 'notin notin (notin)', '()', ',,', '!', '==', 'a=b=c'];
const FIELDS = ['metadata.name=base', 'metadata.namespace!=x', 'spec.nodeName=', 'status.phase==Running', 'a\\,b=c', 'metadata.name=a\\', '=', '!=', 'metadata.name', 'type=Opaque', 'spec.x=1'];
const PARAMETERS = {
  labelSelector: LABELS, fieldSelector: FIELDS, limit: ['1', '0', '-1', '500', 'x', '99999999999999999999'], continue: ['', 'x', 'e30', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0', '%00'], resourceVersion: ['', '0', '1', '-1', 'x', '99999999999999999999999'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x', ''], timeoutSeconds: ['1', '0', '-1', 'x'], allowWatchBookmarks: ['true', '1', 'x'], sendInitialEvents: ['true', 'false', 'x'], dryRun: ['All', 'x', ''], fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'], fieldManager: ['a', '', 'x'.repeat(200), '\u0001'],
  pretty: ['true', 'x'], force: ['true', 'x'], propagationPolicy: ['Orphan', 'Background', 'x'], gracePeriodSeconds: ['0', '-1', 'x', '99999999999999999999'], orphanDependents: ['true', 'x'], includeObject: ['None', 'Object', 'x'], shardSelector: ['x'], watch: ['true', '0', 'x'],
};
const NAMES = Object.keys(PARAMETERS);

/** A query string. A watch among them ends after a second. */
export function query(dice, names = NAMES) {
  const parts = dice.several(4, () => {
    const name = dice.pick(names);
    let value = dice.pick(PARAMETERS[name]);
    if (dice.chance(0.3)) value = garbled(dice, value + dice.pick(['', `,${value}`, ` ${value}`]));
    if (dice.chance(0.03)) value = oddText(dice).slice(0, 4000);
    if (dice.chance(0.01)) value = Array(500).fill(value).join(',');
    return `${name}=${dice.chance(0.05) ? value.replace(/[^!-~]|[#?]/g, '') : encode(value)}`;
  });
  return `timeoutSeconds=1&${parts.join('&')}`;
}

function encode(text) {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?'));
}

/** Only selectors. */
export const selectors = (dice) => query(dice, ['labelSelector', 'fieldSelector', 'labelSelector', 'fieldSelector', 'limit']);

const ACCEPTS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;g=meta.k8s.io;v=v1', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json', 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'application/cbor', '*/*', 'text/html', 'application/json;q=0.1,application/yaml;q=x', ';;;', 'application/json;as=Table', 'application/json;stream=watch'];

/** What is accepted as an answer. */
export const accept = (dice) => (dice.chance(0.8) ? 'application/json' : dice.chance(0.9) ? dice.pick(ACCEPTS) : garbled(dice, dice.pick(ACCEPTS)).replace(/[^ -~]/g, ''));
