/** Names of headers in which a proxy in front says who makes a request, and the authority of such proxies. */
export interface RequestHeaderSettings {
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefixes: readonly string[];
}

/** Files about who is let in and what they may do. */
export interface AccessSettings {
  readonly tokenAuthFile?: string;
  readonly basicAuthFile?: string;
  /** Authorities of clients beside the cluster's own. */
  readonly clientCaFile?: string;
  readonly requestHeader?: RequestHeaderSettings;
  readonly authenticationConfig?: string;
  readonly authorizationPolicyFile?: string;
  readonly authorizationConfig?: string;
}
