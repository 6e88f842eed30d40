import { protobufEnvelope } from '../../api/codec/encode-protobuf.js';
import { fieldsOf } from '../openapi/protobuf-entries.js';
import { message, type Field, type Kind } from '../openapi/protobuf-message.js';
import type { GroupDiscoveryList } from './discovery-documents.js';

const GROUP_DISCOVERY_LIST = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' };
/** Upstream writes texts and numbers that it holds by value even when they are empty. */
const text: Kind = { wire: 2, write: (value, writer) => writer.text(value as string) };
const number: Kind = { wire: 0, write: (value, writer) => writer.integer(value as number) };
const EMPTY_OBJECT_META = { name: '', generateName: '', namespace: '', selfLink: '', uid: '', resourceVersion: '', generation: 0, creationTimestamp: {} };
const EMPTY_LIST_META = { selfLink: '', resourceVersion: '', continue: '' };

const objectMeta = message(() => [
  [1, 'name', text], [2, 'generateName', text], [3, 'namespace', text], [4, 'selfLink', text], [5, 'uid', text], [6, 'resourceVersion', text], [7, 'generation', number],
  [8, 'creationTimestamp', message(() => [])],
]);
const listMeta = message(() => [[1, 'selfLink', text], [2, 'resourceVersion', text], [3, 'continue', text]]);
const groupVersionKind = message(() => [[1, 'group', text], [2, 'version', text], [3, 'kind', text]]);
const subresource = message(() => [[1, 'subresource', text], [2, 'responseKind', groupVersionKind], [4, 'verbs', text, 'many']]);
const resource = message(() => [
  [1, 'resource', text], [2, 'responseKind', groupVersionKind], [3, 'scope', text], [4, 'singularResource', text], [5, 'verbs', text, 'many'], [6, 'shortNames', text, 'many'],
  [7, 'categories', text, 'many'], [8, 'subresources', subresource, 'many'],
]);
const version = message(() => [[1, 'version', text], [2, 'resources', resource, 'many'], [3, 'freshness', text]]);
const group = message(() => [[1, 'metadata', objectMeta], [2, 'versions', version, 'many']]);
const LIST: readonly Field[] = [[1, 'metadata', listMeta], [2, 'items', group, 'many']];

/** Aggregated discovery in protobuf. */
export function encodeGroupDiscoveryList(list: GroupDiscoveryList): Buffer {
  const items = list.items.map(({ metadata, versions }) => ({ metadata: { ...EMPTY_OBJECT_META, ...metadata }, versions }));
  return protobufEnvelope(GROUP_DISCOVERY_LIST, fieldsOf(LIST, { metadata: EMPTY_LIST_META, items }));
}
