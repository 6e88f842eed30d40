// A lean HTTP/1.1 client over TLS for load generation: one request at a time per connection, no pooling, no parsing of
// what nobody looks at. Node's own client costs more than the servers under test.
import { connect } from 'node:tls';

/** One keep-alive connection. */
export class Connection {
  #socket;
  #buffer = Buffer.alloc(0);
  #chunks = [];
  #missing = 0;
  #chunked = false;
  #waiting;
  #stream;

  static async open(target) {
    const connection = new Connection();
    await connection.#connect(target);
    return connection;
  }

  async #connect({ host, port, ca, cert, key }) {
    await new Promise((resolve, reject) => {
      this.#socket = connect({ host, port, ca, cert, key, ALPNProtocols: ['http/1.1'], checkServerIdentity: () => undefined }, resolve);
      this.#socket.once('error', reject);
    });
    this.#socket.removeAllListeners('error');
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('connection closed')));
    this.#socket.on('data', (chunk) => (this.#stream ? this.#stream(chunk) : this.#receive(chunk)));
    this.#socket.setNoDelay(true);
  }

  /** Sends a ready-made request (see `requestBytes`) and gives { status, headers, body }; headers as text. */
  request(bytes) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes);
    });
  }

  /** Sends a request whose answer never ends; `onData` gets every chunk. */
  stream(bytes, onData) {
    this.#stream = onData;
    this.#socket.write(bytes);
  }

  close() {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #receive(chunk) {
    // A long body is put together once, when all of it is there.
    this.#chunks.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0 || (this.#missing < 0 && this.#chunked && chunk.toString('latin1', chunk.length - 5) !== '0\r\n\r\n' && chunk.length > 5)) return;
    this.#buffer = Buffer.concat([this.#buffer, ...this.#chunks]);
    this.#chunks = [];
    this.#missing = 0;
    this.#chunked = false;
    const head = this.#buffer.indexOf('\r\n\r\n');
    if (head < 0) return;
    const headers = this.#buffer.toString('latin1', 0, head);
    const status = Number(headers.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(headers);
    let body;
    if (length) {
      const end = head + 4 + Number(length[1]);
      if (this.#buffer.length < end) {
        this.#missing = end - this.#buffer.length;
        return;
      }
      body = this.#buffer.subarray(head + 4, end);
      this.#buffer = this.#buffer.subarray(end);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(headers)) {
      // A chunked body ends with an empty chunk; looking at the end is enough to know that it is whole.
      if (this.#buffer.toString('latin1', this.#buffer.length - 5) !== '0\r\n\r\n') {
        this.#chunked = true;
        return;
      }
      body = this.#buffer.subarray(head + 4);
      this.#buffer = Buffer.alloc(0);
    } else {
      body = Buffer.alloc(0);
      this.#buffer = this.#buffer.subarray(head + 4);
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting.resolve({ status, headers, body });
  }
}

/** The content of a body that `request` gave: without the frames of chunked encoding, if it has them. */
export function unchunk(body) {
  if (!/^[0-9a-f]+\r\n/i.test(body.toString('latin1', 0, 16))) return body;
  const parts = [];
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const size = line < 0 ? 0 : parseInt(body.toString('latin1', at, line), 16);
    if (!size) return Buffer.concat(parts);
    parts.push(body.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}

/** The bytes of a request, with a JSON body if there is one. */
export function requestBytes(target, method, path, body, headers = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${target.host}:${target.port}`, `Accept: ${headers.accept ?? 'application/json'}`];
  if (target.token) lines.push(`Authorization: Bearer ${target.token}`);
  if (text) lines.push(`Content-Type: ${headers.contentType ?? 'application/json'}`, `Content-Length: ${Buffer.byteLength(text)}`);
  else if (method !== 'GET') lines.push('Content-Length: 0');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}
