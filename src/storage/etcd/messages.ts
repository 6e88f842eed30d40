import { WireReader, WireWriter } from './wire.js';

/** What every answer says about the cluster. */
export interface ResponseHeader {
  readonly clusterId: bigint;
  readonly revision: number;
}

/** A key as etcd keeps it. */
export interface EtcdKeyValue {
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  /** How often it was written since it was created. */
  readonly version: number;
  /** 0: none. */
  readonly lease: bigint;
}

export interface RangeRequest {
  readonly key: string;
  readonly end?: string;
  readonly limit?: number;
  /** Absent: the newest, and the read is linearizable. */
  readonly revision?: number;
  readonly countOnly?: boolean;
  readonly keysOnly?: boolean;
}

export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly kvs: readonly EtcdKeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export type TxnOperation =
  | ({ readonly type: 'range' } & RangeRequest)
  | { readonly type: 'put'; readonly key: string; readonly value: Buffer; readonly lease?: bigint }
  | { readonly type: 'delete'; readonly key: string; readonly end?: string }
  | { readonly type: 'transaction'; readonly transaction: TxnRequest };

/** What has to hold: the key's revision of its last change or of its creation, or the number of its writes; 0: there is none. */
export interface TxnCompare {
  readonly key: string;
  readonly target: 'version' | 'create' | 'mod';
  readonly equals: number;
}

export interface TxnRequest {
  readonly compare: readonly TxnCompare[];
  readonly success: readonly TxnOperation[];
  readonly failure: readonly TxnOperation[];
}

export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  /** Of each operation of the branch taken: what a range found, what a transaction answered; undefined for writes. */
  readonly responses: readonly { readonly range?: RangeResponse; readonly transaction?: TxnResponse }[];
}

export interface WatchEvent {
  readonly type: 'put' | 'delete';
  readonly kv: EtcdKeyValue;
  readonly previous: EtcdKeyValue | undefined;
}

export interface WatchResponse {
  readonly header: ResponseHeader;
  readonly created: boolean;
  readonly canceled: boolean;
  /** The watch began before this revision, which is the oldest one left; 0: it did not. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  readonly events: readonly WatchEvent[];
}

const NO_HEADER: ResponseHeader = { clusterId: 0n, revision: 0 };
const COMPARE_TARGETS = { version: { target: 0, field: 4 }, create: { target: 1, field: 5 }, mod: { target: 2, field: 6 } } as const;

// The numbers of fields are those of etcd's rpc.proto and kv.proto.

export function encodeRange(request: RangeRequest): Buffer {
  return rangeMessage(request).finish();
}

export function encodeTransaction(request: TxnRequest): Buffer {
  return transactionMessage(request).finish();
}

/** A request to watch [key, end) from `revision` on. Answers are never cut into fragments. */
export function encodeWatch(request: { readonly key: string; readonly end: string; readonly revision: number; readonly previous: boolean }): Buffer {
  const create = new WireWriter().bytes(1, request.key).bytes(2, request.end).number(3, request.revision).number(6, request.previous);
  return new WireWriter().message(1, create).finish();
}

export function encodeCompaction(revision: number): Buffer {
  return new WireWriter().number(1, revision).finish();
}

export function encodeLeaseGrant(ttlSeconds: number): Buffer {
  return new WireWriter().number(1, ttlSeconds).finish();
}

/** Also what renewing and revoking it are asked with. */
export function encodeLeaseTimeToLive(lease: bigint): Buffer {
  return new WireWriter().number(1, lease).finish();
}

export function encodeAuthenticate(name: string, password: string): Buffer {
  return new WireWriter().bytes(1, name).bytes(2, password).finish();
}

export function decodeRange(bytes: Buffer): RangeResponse {
  const reader = new WireReader(bytes);
  let header = NO_HEADER;
  const kvs: EtcdKeyValue[] = [];
  let more = false;
  let count = 0;
  while (reader.next()) {
    if (reader.field === 1) header = decodeHeader(reader.bytes());
    else if (reader.field === 2) kvs.push(decodeKeyValue(reader.bytes()));
    else if (reader.field === 3) more = reader.boolean();
    else if (reader.field === 4) count = reader.number();
  }
  return { header, kvs, more, count };
}

export function decodeTransaction(bytes: Buffer): TxnResponse {
  const reader = new WireReader(bytes);
  let header = NO_HEADER;
  let succeeded = false;
  const responses: { range?: RangeResponse; transaction?: TxnResponse }[] = [];
  while (reader.next()) {
    if (reader.field === 1) header = decodeHeader(reader.bytes());
    else if (reader.field === 2) succeeded = reader.boolean();
    else if (reader.field === 3) {
      const operation = new WireReader(reader.bytes());
      let response: { range?: RangeResponse; transaction?: TxnResponse } = {};
      while (operation.next()) {
        if (operation.field === 1) response = { range: decodeRange(operation.bytes()) };
        else if (operation.field === 4) response = { transaction: decodeTransaction(operation.bytes()) };
      }
      responses.push(response);
    }
  }
  return { header, succeeded, responses };
}

export function decodeWatch(bytes: Buffer): WatchResponse {
  const reader = new WireReader(bytes);
  const events: WatchEvent[] = [];
  let header = NO_HEADER;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let cancelReason = '';
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        header = decodeHeader(reader.bytes());
        break;
      case 3:
        created = reader.boolean();
        break;
      case 4:
        canceled = reader.boolean();
        break;
      case 5:
        compactRevision = reader.number();
        break;
      case 6:
        cancelReason = reader.string();
        break;
      case 11:
        events.push(decodeEvent(reader.bytes()));
    }
  }
  return { header, created, canceled, compactRevision, cancelReason, events };
}

/** The header of an answer in which nothing else is of interest. */
export function decodeHeaderOnly(bytes: Buffer): ResponseHeader {
  const reader = new WireReader(bytes);
  while (reader.next()) if (reader.field === 1) return decodeHeader(reader.bytes());
  return NO_HEADER;
}

/** Answers to the granting of a lease, to its renewal and to the question how long it lives: seconds left, 0 or -1: there is no such lease. */
export function decodeLease(bytes: Buffer): { readonly lease: bigint; readonly ttlSeconds: number } {
  const reader = new WireReader(bytes);
  let lease = 0n;
  let ttl = 0n;
  while (reader.next()) {
    if (reader.field === 2) lease = reader.bigint();
    else if (reader.field === 3) ttl = reader.bigint();
  }
  return { lease, ttlSeconds: Number(BigInt.asIntN(64, ttl)) };
}

export function decodeAuthenticate(bytes: Buffer): string {
  const reader = new WireReader(bytes);
  while (reader.next()) if (reader.field === 2) return reader.string();
  return '';
}

function rangeMessage({ key, end, limit, revision, countOnly, keysOnly }: RangeRequest): WireWriter {
  return new WireWriter()
    .bytes(1, key).bytes(2, end ?? '').number(3, limit ?? 0).number(4, revision ?? 0)
    .number(8, keysOnly ?? false).number(9, countOnly ?? false);
}

function transactionMessage({ compare, success, failure }: TxnRequest): WireWriter {
  const writer = new WireWriter();
  for (const { key, target, equals } of compare) {
    const { target: number, field } = COMPARE_TARGETS[target];
    writer.message(1, new WireWriter().number(2, number).bytes(3, key).number(field, equals));
  }
  for (const operation of success) writer.message(2, operationMessage(operation));
  for (const operation of failure) writer.message(3, operationMessage(operation));
  return writer;
}

function operationMessage(operation: TxnOperation): WireWriter {
  const writer = new WireWriter();
  switch (operation.type) {
    case 'range':
      return writer.message(1, rangeMessage(operation));
    case 'put':
      return writer.message(2, new WireWriter().bytes(1, operation.key).bytes(2, operation.value).number(3, operation.lease ?? 0n));
    case 'delete':
      return writer.message(3, new WireWriter().bytes(1, operation.key).bytes(2, operation.end ?? ''));
    case 'transaction':
      return writer.message(4, transactionMessage(operation.transaction));
  }
}

function decodeHeader(bytes: Buffer): ResponseHeader {
  const reader = new WireReader(bytes);
  let clusterId = 0n;
  let revision = 0;
  while (reader.next()) {
    if (reader.field === 1) clusterId = reader.bigint();
    else if (reader.field === 3) revision = reader.number();
  }
  return { clusterId, revision };
}

function decodeEvent(bytes: Buffer): WatchEvent {
  const reader = new WireReader(bytes);
  let type: 'put' | 'delete' = 'put';
  let kv: EtcdKeyValue | undefined;
  let previous: EtcdKeyValue | undefined;
  while (reader.next()) {
    if (reader.field === 1) type = reader.number() === 1 ? 'delete' : 'put';
    else if (reader.field === 2) kv = decodeKeyValue(reader.bytes());
    else if (reader.field === 3) previous = decodeKeyValue(reader.bytes());
  }
  return { type, kv: kv ?? decodeKeyValue(EMPTY), previous };
}

const EMPTY = Buffer.alloc(0);

function decodeKeyValue(bytes: Buffer): EtcdKeyValue {
  const reader = new WireReader(bytes);
  let key = '';
  let value: Buffer = EMPTY;
  let createRevision = 0;
  let modRevision = 0;
  let version = 0;
  let lease = 0n;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        key = reader.string();
        break;
      case 2:
        createRevision = reader.number();
        break;
      case 3:
        modRevision = reader.number();
        break;
      case 4:
        version = reader.number();
        break;
      case 5:
        value = own(reader.bytes());
        break;
      case 6:
        lease = reader.bigint();
    }
  }
  return { key, value, createRevision, modRevision, version, lease };
}

/** A copy: a slice would keep the whole message alive as long as one value of it is in a cache. */
function own(slice: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(slice.length);
  slice.copy(copy);
  return copy;
}
