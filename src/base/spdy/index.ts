export { SpdyConnection } from './connection.js';
export { SpdyStream } from './stream.js';
export type { SpdyHeaders } from './header-block.js';
