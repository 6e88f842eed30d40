export declare const REGISTRY_USER: { readonly username: string; readonly password: string };

/** A registry of Debian's docker-registry on 127.0.0.1. */
export interface TestRegistry {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly url: string;
  /** PEM; with `tls` or token authentication. */
  readonly ca: string | undefined;
  /** A refresh token for its token service. */
  readonly identityToken: string | undefined;
  push(archive: string, name?: string): Promise<readonly { readonly reference: string; readonly digest: string }[]>;
  stop(): Promise<void>;
}
export declare function startRegistry(options?: { readonly auth?: 'none' | 'basic' | 'token'; readonly tls?: boolean }): Promise<TestRegistry>;
export declare function freePort(): Promise<number>;
