import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** The bytes of any message of the `ws` library. */
export function messageBytes(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** A byte stream over the binary messages of a WebSocket; message bounds mean nothing. */
export function messageDuplex(socket: WebSocket): Duplex {
  const stream = new Duplex({
    read() {
      socket.resume();
    },
    write(chunk: Buffer, _encoding, callback) {
      socket.send(chunk, { binary: true }, (error) => callback(error ?? null));
    },
    final(callback) {
      socket.close(1000);
      callback();
    },
    destroy(error, callback) {
      socket.terminate();
      callback(error);
    },
  });
  socket.on('message', (data) => {
    if (!stream.push(messageBytes(data))) socket.pause();
  });
  socket.once('close', () => stream.push(null));
  socket.once('error', (error) => stream.destroy(error));
  return stream;
}
