/** How to reach one API server over HTTP, and as whom. */
export interface HttpConnection {
  /** `https://127.0.0.1:6443`, possibly with a path prefix. */
  readonly server: string;
  /** PEM bundle that the serving certificate is checked against; absent: the system's. */
  readonly ca?: string;
  /** PEM client certificate and key. */
  readonly certificate?: string;
  readonly key?: string;
  /** Bearer token; a function is asked before each request, so that tokens may rotate. */
  readonly token?: string | (() => string | Promise<string>);
  readonly username?: string;
  readonly password?: string;
  /** Skips the check of the serving certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean;
  /** Name to check the serving certificate against, when it is not the server's host. */
  readonly tlsServerName?: string;
  /** `User-Agent` header. */
  readonly userAgent?: string;
}
