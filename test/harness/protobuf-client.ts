import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { adminTarget } from './raw-connection.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MAGIC = Buffer.from('k8s\0');

/** A decoded message as a plain object; 64-bit numbers are text, bytes are buffers. */
export type Message = Record<string, unknown> & { readonly metadata?: { readonly name?: string; readonly resourceVersion?: string; readonly uid?: string } };

export interface ProtobufAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: Message;
}

export interface ProtobufEvent {
  readonly type: string;
  readonly kind: string;
  readonly message: Message;
}

/**
 * A client that speaks protobuf alone, and knows of our code nothing: its messages are those of test/e2e/manifests/wire.proto. Kinds that are not in there are
 * answered with an empty message.
 */
export class ProtobufClient {
  private constructor(
    private readonly types: protobuf.Root,
    private readonly target: { readonly host: string; readonly port: number },
    private readonly agent: Agent,
  ) {}

  static async connect(kubeconfig: string): Promise<ProtobufClient> {
    const types = await protobuf.load(join(import.meta.dirname, '../e2e/manifests/wire.proto'));
    const { host, port, ca, cert, key } = await adminTarget(kubeconfig);
    return new ProtobufClient(types, { host, port }, new Agent({ keepAlive: true, ca, cert, key }));
  }

  close(): void {
    this.agent.destroy();
  }

  /** `body`: a kind of its API version, with what it says. */
  async send(method: string, path: string, body?: { readonly apiVersion: string; readonly kind: string; readonly message: object }): Promise<ProtobufAnswer> {
    const response = await this.open(method, path, PROTOBUF, body && this.envelope(body));
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { code: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', ...this.read(Buffer.concat(chunks)) };
  }

  /** Events until `enough` says so; then the watch is ended. */
  async watch(path: string, enough: (events: readonly ProtobufEvent[]) => boolean): Promise<{ readonly contentType: string; readonly events: readonly ProtobufEvent[] }> {
    const response = await this.open('GET', path, `${PROTOBUF};stream=watch`);
    const contentType = response.headers['content-type'] ?? '';
    const events: ProtobufEvent[] = [];
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of response) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
        const end = 4 + rest.readUInt32BE(0);
        const event = this.decode('WatchEvent', rest.subarray(4, end)) as unknown as { readonly type: string; readonly object: { readonly raw: Buffer } };
        const { kind, message } = this.read(event.object.raw);
        events.push({ type: event.type, kind, message });
        rest = rest.subarray(end);
      }
      if (enough(events)) break;
    }
    response.destroy();
    return { contentType, events };
  }

  private open(method: string, path: string, accept: string, body?: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { accept, 'user-agent': 'protobuf-client', ...(body ? { 'content-type': PROTOBUF, 'content-length': String(body.length) } : {}) };
      const request = httpsRequest({ ...this.target, method, path, agent: this.agent, headers }, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  private envelope({ apiVersion, kind, message }: { readonly apiVersion: string; readonly kind: string; readonly message: object }): Buffer {
    const type = this.types.lookupType(`kube.${kind}`);
    const raw = type.encode(type.fromObject(message)).finish();
    const unknown = this.types.lookupType('kube.Unknown');
    return Buffer.concat([MAGIC, unknown.encode(unknown.fromObject({ typeMeta: { apiVersion, kind }, raw })).finish()]);
  }

  private read(bytes: Buffer): { readonly apiVersion: string; readonly kind: string; readonly message: Message } {
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(`not a protobuf body: ${bytes.toString()}`);
    const { typeMeta, raw } = this.decode('Unknown', bytes.subarray(MAGIC.length)) as unknown as { readonly typeMeta: { readonly apiVersion?: string; readonly kind?: string }; readonly raw?: Buffer };
    const kind = typeMeta.kind ?? '';
    const known = this.types.lookup(`kube.${kind}`) !== null;
    return { apiVersion: typeMeta.apiVersion ?? '', kind, message: known ? this.decode(kind, raw ?? Buffer.alloc(0)) : {} };
  }

  private decode(kind: string, bytes: Uint8Array): Message {
    const type = this.types.lookupType(`kube.${kind}`);
    return type.toObject(type.decode(bytes), { longs: String, bytes: Buffer }) as Message;
  }
}
